// The parts of the server whose npm packages `npm start` installs for those runs alone that need them.

import { readFileSync } from "node:fs";
import { has } from "./lib.mjs";

/** The options whose files may name a database. */
const FILES = ["--config", "--database-url-file"];

/**
 * The parts by name: the workspace that names the packages, which imports are of them, what a server without them
 * lacks, and whether a text of a run needs them.
 */
export const PARTS = {
  postgres: {
    folder: "js/postgres",
    probe: "pg",
    imports: /^pg(-copy-streams)?$/,
    what: "driver of PostgreSQL, since none of its commands named a database",
    isNamedIn: (text) => /\bpostgres(ql)?:/i.test(text),
  },
  telemetry: {
    folder: "js/telemetry",
    probe: "@opentelemetry/sdk-trace",
    imports: /^@opentelemetry\/(core|exporter-|resources|sdk-)/,
    what: "sender of telemetry, since none of its commands named a collector",
    isNamedIn: (text) => /^(--otlp-endpoint|otlp_endpoint:|NOUS_OTLP_ENDPOINT)/m.test(text),
  },
};

/** Returns whether the packages of a part are installed. */
export const hasPart = (name) => has("node_modules", ...PARTS[name].probe.split("/"));

/**
 * Returns the names of the parts that an argument, a variable of nous-server, DATABASE_URL or a file that one of
 * them names asks for.
 *
 * @param {readonly string[]} args the arguments of nous-server
 * @param {Record<string, string | undefined>} env
 */
export function partsFor(args, env) {
  const isOwn = (name) => name.startsWith("NOUS_") || name === "DATABASE_URL";
  const variables = Object.keys(env).filter((name) => isOwn(name) && env[name]);
  const named = args.flatMap((arg, place) => fileOf(arg, args[place + 1]));
  const files = [env.NOUS_CONFIG, env.NOUS_DATABASE_URL_FILE, ...named];
  const texts = [
    ...args,
    ...variables.map((name) => `${name}=${env[name]}`),
    ...files.map(contentOf),
  ];
  return Object.keys(PARTS).filter((name) => texts.some((text) => PARTS[name].isNamedIn(text)));
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
