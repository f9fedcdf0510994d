// Which runs of the server need the driver of PostgreSQL. `npm start` installs it for them alone.

import { readFileSync } from "node:fs";

/**
 * Returns whether an argument, a variable of nous-server or its configuration file names a PostgreSQL
 * database.
 *
 * @param {readonly string[]} args the arguments of nous-server
 * @param {Record<string, string | undefined>} env
 */
export function namesPostgres(args, env) {
  const isOwn = (name) => name.startsWith("NOUS_");
  const variables = Object.keys(env).filter(isOwn);
  const files = [env.NOUS_CONFIG, ...args.flatMap((arg, place) => configOf(arg, args[place + 1]))];
  const texts = [...args, ...variables.map((name) => env[name]), ...files.map(contentOf)];
  return texts.some((text) => /\bpostgres(ql)?:/i.test(text));
}

function configOf(arg, next) {
  if (arg === "--config") return [next];
  return arg.startsWith("--config=") ? [arg.slice("--config=".length)] : [];
}

function contentOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The server says that it cannot read the file.
    return "";
  }
}
