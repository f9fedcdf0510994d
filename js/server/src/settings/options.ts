// The settings of the server: one table, from which the command-line options, the environment
// variables and the keys of the YAML file are derived, with defaults and help.

import { isIPv6 } from "node:net";
import { availableParallelism } from "node:os";
import { z } from "zod";
import {
  COMPATS,
  type Compat,
  DEFAULTS,
  EMBEDDING_PROVIDERS,
  type EmbeddingsProvider,
  LEARNING,
  type Learning,
  RANKINGS,
} from "./choices.ts";
import { isDatabaseUrl, isRemoteLibsql, NO_DATABASE_URL, REMOTE_LIBSQL } from "./database-url.ts";
import { BUILT_IN_NAMES, defaultModel } from "./embeddings-model.ts";
import { limit } from "./limits.ts";
import { defaultDataDir } from "./paths.ts";
import { counting } from "./per-agent.ts";
import { presetting } from "./preset.ts";
import { zoning } from "./time-zone.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
/** The default number of worker threads: one core stays free for HTTP. */
const defaultWorkers = Math.max(1, availableParallelism() - 1);

/**
 * When a commit counts as done: once it is on the disk (`full`), or once the operating system has
 * it (`normal`).
 */
export type Durability = "full" | "normal";

/** Host names of the loopback interface. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

const PROVIDERS = ["none", "openai-compatible"] as const;

/** A setting: its schema, its default, and its help. */
interface Option<T> {
  schema: z.ZodType<T>;
  /** Returns the default, which may depend on the compatibility mode and on another setting. */
  default: (compat?: Compat, provider?: EmbeddingsProvider) => T;
  about: string;
  /** The placeholder of the value in the help. */
  value: string;
  /** Whether the value is never printed or logged. */
  isSecret?: boolean;
}

const whole = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], {
      error: () => "must be a whole number",
    })
    .pipe(z.int().min(min).max(max));

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A time in seconds, or with its unit. */
const duration = (min: number, max: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d+[smhd]?$/)
          .transform(secondsOf),
      ],
      {
        error: "must be a whole number of seconds, or a time such as 30m, 6h or 1d",
      },
    )
    .pipe(z.int().min(min).max(max));

const secondsOf = (text: string): number =>
  Number.parseInt(text, 10) * (SECONDS[text.at(-1)!] ?? 1);

/** Text that a header can carry unchanged. */
const printable = z
  .string()
  .regex(/^[\x21-\x7e]*$/, "must be of printable ASCII characters, without blanks");

const baseUrl = z
  .string()
  .refine(isBaseUrl, "must be a URL with http or https, and without a name and password");

/** A URL that nobody between can read, and that clients write alike. */
const secureUrl = z
  .string()
  .refine(
    isSecureUrl,
    "must be a URL with https, or with http on loopback, without a query, a fragment, a name and a password",
  );

/** Twenty days: the longest delay of a timer is not much more. */
const MAX_SECONDS = 20 * 86_400;

/** All settings by name. */
export const OPTIONS = {
  host: option({
    schema: z.string().refine(isHost, "must be a name or an address, without a port"),
    default: () => "127.0.0.1",
    about: "address to listen on; beyond loopback only if there are keys (see keys --help)",
    value: "NAME",
  }),
  port: option({
    schema: whole(0, 65_535),
    default: () => 3100,
    about: "port to listen on; 0 takes a free one",
    value: "NUMBER",
  }),
  allowed_hosts: option({
    schema: listOf(
      z.string().refine(isHost, "must be names or addresses, without ports").transform(hostnameOf),
    ),
    default: () => [],
    about:
      "names of this server besides its address, with commas between: other Host headers are refused",
    value: "NAMES",
  }),
  cors_origins: option({
    schema: listOf(z.string().refine(isOrigin, "must be origins, such as https://example.org")),
    default: () => [],
    about:
      "origins whose pages may send requests, such as https://example.org; with commas between",
    value: "ORIGINS",
  }),
  mcp_oauth_issuer: option({
    schema: z.union([z.literal(""), secureUrl]),
    default: () => "",
    about:
      "issuer of the access tokens that /mcp accepts beside keys, as its tokens name it, such as " +
      "https://login.example.org; none: keys alone",
    value: "URL",
  }),
  mcp_oauth_resource: option({
    schema: z.union([z.literal(""), secureUrl]),
    default: () => "",
    about: "URL of /mcp as those clients reach it, such as https://memory.example.org/mcp",
    value: "URL",
  }),
  mcp_oauth_audience: option({
    schema: z.string(),
    default: () => "",
    about: "audience that those tokens name; none: the URL of mcp_oauth_resource",
    value: "TEXT",
  }),
  mcp_oauth_agents_claim: option({
    schema: z.string().min(1),
    default: () => "sub",
    about: "claim of those tokens with the name of their agent, or a list of names",
    value: "NAME",
  }),
  data_dir: option({
    schema: z.string().min(1),
    default: defaultDataDir,
    about: "folder of the databases",
    value: "FOLDER",
  }),
  durability: option({
    schema: z.enum(["full", "normal"]),
    default: (): Durability => "full",
    about: "full: an acknowledged write survives a power cut; normal: the last moments may be lost",
    value: "HOW",
  }),
  database_url: option({
    schema: z
      .string()
      .refine((url) => !isRemoteLibsql(url), { error: REMOTE_LIBSQL, abort: true })
      .refine(isDatabaseUrl, NO_DATABASE_URL),
    default: () => "",
    about:
      "a PostgreSQL database of all agents instead of files; without this setting and data_dir, the variable DATABASE_URL",
    value: "URL",
  }),
  database_url_file: option({
    schema: z.string(),
    default: () => "",
    about: "a file with the URL of that database, such as a secret of a container",
    value: "FILE",
  }),
  database_token: option({
    schema: z.string(),
    default: () => "",
    about:
      "password of the database, if its URL has none; other users of the machine can see options, but not variables",
    value: "TOKEN",
    isSecret: true,
  }),
  database_timeout: option({
    schema: whole(1, 600_000),
    default: () => 10_000,
    about: "timeout of a statement in the PostgreSQL database, in milliseconds",
    value: "NUMBER",
  }),
  database_connections: option({
    schema: whole(2, 1_000),
    default: () => 4,
    about: "connections to the PostgreSQL database of each worker, at most",
    value: "NUMBER",
  }),
  workers: option({
    schema: whole(1, 256),
    default: () => defaultWorkers,
    about: "threads that work for agents",
    value: "NUMBER",
  }),
  agent_idle: option({
    schema: whole(1, 31_536_000),
    default: () => 900,
    about: "seconds without a request after which an agent is closed; the next request opens it",
    value: "NUMBER",
  }),
  max_resident_mb: option({
    schema: whole(16, 1_048_576),
    default: () => 2_048,
    about:
      "megabytes that open agents may take together; beyond that, the least recently used are closed",
    value: "NUMBER",
  }),
  decay_interval: option({
    schema: whole(0, MAX_SECONDS),
    default: () => 6 * 3_600,
    about: "seconds between sweeps of every agent; 0: only on request",
    value: "SECONDS",
  }),
  consolidate_interval: option({
    schema: whole(0, MAX_SECONDS),
    default: () => 0,
    about: "seconds between consolidations of every agent; 0: only on request",
    value: "SECONDS",
  }),
  backup_dir: option({
    schema: z.string(),
    default: () => "",
    about: "folder of the server's backups, a folder of its time for each; none: it makes none",
    value: "FOLDER",
  }),
  backup_every: option({
    schema: duration(60, MAX_SECONDS),
    default: () => 86_400,
    about: "time between backups, such as 6h: in s, m, h or d, else in seconds",
    value: "TIME",
  }),
  backup_keep: option({
    schema: whole(1, 10_000),
    default: () => 7,
    about: "backups that are kept; older ones are removed after a good new one",
    value: "NUMBER",
  }),
  count_outcomes: option({
    schema: listOf(counting),
    default: () => [],
    about:
      "who counts closed trades for playbooks: server or client, NAME=client for one agent, with commas between; default: " +
      "the server, and with compat hynous the client",
    value: "WHO",
  }),
  time_zone: option({
    schema: listOf(zoning),
    default: () => [],
    about:
      "zone by whose clocks days are told and times without a zone are read, such as Europe/Berlin; " +
      "NAME=Europe/Berlin for one agent, with commas between; default: UTC",
    value: "ZONE",
  }),
  max_body_bytes: option({
    schema: whole(1_024, 2 ** 30),
    default: () => 8 * 2 ** 20,
    about: "largest body of a request, in bytes",
    value: "NUMBER",
  }),
  max_requests_per_minute: option({
    schema: limit,
    default: () => [],
    about:
      "most requests of a key in a minute; k_…=600 for one key, with commas between; 0 or none: any number",
    value: "NUMBER",
  }),
  max_memories: option({
    schema: limit,
    default: () => [],
    about:
      "most memories that the agents of a key hold together, and each agent of a key for all agents; " +
      "k_…=5000 for one key, with commas between; 0 or none: any number",
    value: "NUMBER",
  }),
  max_bytes: option({
    schema: limit,
    default: () => [],
    about:
      "most bytes of the databases of those agents; k_…=1000000 for one key, with commas between; " +
      "0 or none: any number",
    value: "NUMBER",
  }),
  compat: option({
    schema: z.enum(COMPATS),
    default: (): Compat => "none",
    about: "hynous: requests and answers are those of Hynous' Nous server; none: this server's own",
    value: "SERVER",
  }),
  ranking: option({
    schema: z.enum(RANKINGS),
    default: (compat: Compat = "none") => DEFAULTS[compat].ranking,
    about:
      "how searches rank: evidence, by the probability that a memory answers; signals, by six signals; " +
      "with compat hynous the default is signals",
    value: "HOW",
  }),
  preset: option({
    schema: listOf(presetting),
    default: () => [],
    about:
      "what memories are about: general, for people, projects and documents, trading, or one of presets_dir; " +
      "NAME=trading for one agent, with commas between; default: what the agent's database says, trading for the " +
      "sample and for adopted databases, else general",
    value: "PRESET",
  }),
  presets_dir: option({
    schema: z.string(),
    default: () => "",
    about: "folder of presets of your own, a file NAME.yaml each; see presets --help",
    value: "FOLDER",
  }),
  learning: option({
    schema: z.enum(LEARNING),
    default: (): Learning => "off",
    about:
      "on: feedback on searches and prompts moves the weights of an agent's evidence; off: it moves none, " +
      "and moved weights do not count",
    value: "WHETHER",
  }),
  log_level: option({
    schema: z.enum(LOG_LEVELS),
    default: () => "info",
    about: `lowest level that is logged: ${LOG_LEVELS.join(", ")}`,
    value: "LEVEL",
  }),
  log_format: option({
    schema: z.enum(["auto", "json", "text"]),
    default: () => "auto",
    about: "json, text, or auto: text on a terminal",
    value: "FORM",
  }),
  otlp_endpoint: option({
    schema: z.union([
      z.literal(""),
      baseUrl.refine((text) => !/[?#]/.test(text), "must have no query and no fragment"),
    ]),
    default: () => "",
    about:
      "collector of OpenTelemetry that gets traces and metrics by OTLP over HTTP, such as " +
      "http://127.0.0.1:4318; none: nothing is sent, whatever OTEL_ variables say",
    value: "URL",
  }),
  embeddings_provider: option({
    schema: z.enum(EMBEDDING_PROVIDERS),
    default: (compat: Compat = "none") => DEFAULTS[compat].embeddings_provider,
    about:
      "provider of embeddings: builtin, in the server; openai-compatible, such as hosted services, Ollama " +
      "and vLLM; none; with compat hynous the default is none",
    value: "WHO",
  }),
  embeddings_base_url: option({
    schema: baseUrl,
    default: () => "http://127.0.0.1:11434/v1",
    about: "base URL of the provider, including the version",
    value: "URL",
  }),
  embeddings_model: option({
    schema: z.string().min(1).max(200),
    default: (_, provider) => defaultModel(provider),
    about:
      `name of the embedding model; with builtin one of ${BUILT_IN_NAMES}: english is a sentence ` +
      "transformer beside a table of words, the others are tables alone; with openai-compatible the " +
      `default is ${defaultModel("openai-compatible")}`,
    value: "NAME",
  }),
  embeddings_dimensions: option({
    schema: whole(0, 65_536),
    default: () => 0,
    about: "components of an embedding to request; 0: the model's own number",
    value: "NUMBER",
  }),
  embeddings_key: option({
    schema: printable,
    default: () => "",
    about: "API key of the provider; other users of the machine can see options, but not variables",
    value: "KEY",
    isSecret: true,
  }),
  embeddings_timeout: option({
    schema: whole(1, 600_000),
    default: () => 30_000,
    about: "timeout of a call with a batch of texts, in milliseconds",
    value: "NUMBER",
  }),
  embeddings_batch: option({
    schema: whole(1, 2_048),
    default: () => 32,
    about: "texts of one call to the provider",
    value: "NUMBER",
  }),
  analysis_provider: option({
    schema: z.enum(PROVIDERS),
    default: () => "none",
    about:
      "provider of the language model that consolidates episodes: openai-compatible; none: statistics do it",
    value: "WHO",
  }),
  analysis_base_url: option({
    schema: baseUrl,
    default: () => "http://127.0.0.1:11434/v1",
    about:
      "base URL of the language model, including the version; titles and texts of episodes are sent there",
    value: "URL",
  }),
  analysis_model: option({
    schema: z.string().min(1).max(200),
    default: () => "llama3.1",
    about: "name of the language model",
    value: "NAME",
  }),
  analysis_key: option({
    schema: printable,
    default: () => "",
    about:
      "API key of the language model's provider; other users of the machine can see options, but not variables",
    value: "KEY",
    isSecret: true,
  }),
  analysis_timeout: option({
    schema: whole(1, 600_000),
    default: () => 60_000,
    about:
      "timeout of an answer, in milliseconds; all answers of a cycle together have five minutes",
    value: "NUMBER",
  }),
  extraction_provider: option({
    schema: z.enum(PROVIDERS),
    default: () => "none",
    about:
      "provider of the language model that takes facts out of conversations: openai-compatible; none: " +
      "conversations are stored without",
    value: "WHO",
  }),
  extraction_base_url: option({
    schema: baseUrl,
    default: () => "http://127.0.0.1:11434/v1",
    about: "base URL of that language model, including the version; conversations are sent there",
    value: "URL",
  }),
  extraction_model: option({
    schema: z.string().min(1).max(200),
    default: () => "llama3.1",
    about: "name of that language model",
    value: "NAME",
  }),
  extraction_key: option({
    schema: printable,
    default: () => "",
    about:
      "API key of that model's provider; other users of the machine can see options, but not variables",
    value: "KEY",
    isSecret: true,
  }),
  extraction_timeout: option({
    schema: whole(1, 600_000),
    default: () => 60_000,
    about:
      "timeout of an answer, in milliseconds; all answers of a request together have two minutes",
    value: "NUMBER",
  }),
} as const;

/** Returns a schema for several values, as a list or as one text with commas. */
function listOf<T>(entry: z.ZodType<T, string>) {
  const written = z.string().transform((text) => text.split(",").map((part) => part.trim()));
  return z
    .union([z.array(z.string()), written], { error: () => "must be a list" })
    .transform((entries) => entries.filter((text) => text !== ""))
    .pipe(z.array(entry));
}

/** Returns a host as URLs write it: in lower case, an IPv6 address in brackets. */
export function hostnameOf(name: string): string {
  return new URL(`http://${isIPv6(name) ? `[${name}]` : name}`).hostname;
}

/** Returns whether a text is a host alone. `new URL` accepts more, such as a path. */
function isHost(name: string): boolean {
  return (
    isIPv6(name) || (/^(\[[\da-f:.]+\]|[\w.-]+)$/i.test(name) && URL.canParse(`http://${name}`))
  );
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * Returns whether a text is a base URL. A name and password are refused: they would be sent and
 * logged beside the key.
 */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** Returns whether a URL is one of https, or of http on loopback, and has no more than a path. */
export function isSecureUrl(text: string): boolean {
  if (!isBaseUrl(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || LOOPBACK.test(hostname.replace(/^\[|\]$/g, ""));
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}

/** The name of a setting. */
export type OptionName = keyof typeof OPTIONS;
/** The values of all settings. */
export type Settings = {
  -readonly [Name in OptionName]: (typeof OPTIONS)[Name] extends Option<infer T> ? T : never;
};

/** The names of all settings, in the order of the table. */
export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** Returns a setting's command-line option: `--data-dir` for `data_dir`. */
export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;
/** Returns a setting's environment variable: `NOUS_DATA_DIR` for `data_dir`. */
export const variableOf = (name: string): string => `NOUS_${name.toUpperCase()}`;
