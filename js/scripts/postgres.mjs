// Which runs of the server need the driver of PostgreSQL. `npm start` installs it for them alone.

import { readFileSync } from "node:fs";

/** The options whose files may name a database. */
const FILES = ["--config", "--database-url-file"];

/**
 * Returns whether an argument, a variable of nous-server, DATABASE_URL or a file that one of them names
 * has the URL of a PostgreSQL database.
 *
 * @param {readonly string[]} args the arguments of nous-server
 * @param {Record<string, string | undefined>} env
 */
export function namesPostgres(args, env) {
  const isOwn = (name) => name.startsWith("NOUS_") || name === "DATABASE_URL";
  const variables = Object.keys(env).filter(isOwn);
  const named = args.flatMap((arg, place) => fileOf(arg, args[place + 1]));
  const files = [env.NOUS_CONFIG, env.NOUS_DATABASE_URL_FILE, ...named];
  const texts = [...args, ...variables.map((name) => env[name]), ...files.map(contentOf)];
  return texts.some((text) => /\bpostgres(ql)?:/i.test(text));
}

function fileOf(arg, next) {
  if (FILES.includes(arg)) return [next];
  return FILES.flatMap((name) => (arg.startsWith(`${name}=`) ? [arg.slice(name.length + 1)] : []));
}

function contentOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The server says that it cannot read the file.
    return "";
  }
}
