// Writes the configuration of an MCP client so that it starts `nous-server mcp`. What the file holds
// stays as it is, comments included.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, posix, win32 } from "node:path";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { SettingsError } from "../refusal.ts";

/** The name of the server in a client's configuration. */
const NAME = "nous";

/** Where the files of a user are. */
export interface Where {
  home: string;
  system: NodeJS.Platform;
  environment: NodeJS.ProcessEnv;
}

interface Client {
  /** The file for all projects of the user. */
  file(where: Where): string;
  /** The file of a project, relative to it; undefined if the client has none. */
  project?: string;
  /** The key under which servers stand. */
  key: string;
  /** Returns the entry of a server. */
  entry(command: string, args: readonly string[]): object;
}

const stdio = (command: string, args: readonly string[]) => ({ command, args });

/** Joins parts as the paths of the system are written. */
const joined = ({ system }: Pick<Where, "system">, ...parts: string[]): string =>
  (system === "win32" ? win32 : posix).join(...parts);

/** Returns the folder in which programs of Linux keep their settings. */
const xdgDir = (where: Where): string =>
  where.environment.XDG_CONFIG_HOME || joined(where, where.home, ".config");

/** Returns the folder in which programs keep their settings. */
function configDir(where: Where): string {
  const { home, system, environment } = where;
  if (system === "darwin") return joined(where, home, "Library", "Application Support");
  if (system === "win32") return environment.APPDATA || joined(where, home, "AppData", "Roaming");
  return xdgDir(where);
}

export const CLIENTS = {
  "claude-desktop": {
    file: (where) => joined(where, configDir(where), "Claude", "claude_desktop_config.json"),
    key: "mcpServers",
    entry: stdio,
  },
  "claude-code": {
    file: (where) => joined(where, where.home, ".claude.json"),
    project: ".mcp.json",
    key: "mcpServers",
    entry: (command, args) => ({ type: "stdio", command, args }),
  },
  cursor: {
    file: (where) => joined(where, where.home, ".cursor", "mcp.json"),
    project: ".cursor/mcp.json",
    key: "mcpServers",
    entry: stdio,
  },
  vscode: {
    file: (where) => joined(where, configDir(where), "Code", "User", "mcp.json"),
    project: ".vscode/mcp.json",
    key: "servers",
    entry: (command, args) => ({ type: "stdio", command, args }),
  },
  zed: {
    file: (where) =>
      where.system === "win32"
        ? joined(where, configDir(where), "Zed", "settings.json")
        : joined(where, xdgDir(where), "zed", "settings.json"),
    project: ".zed/settings.json",
    key: "context_servers",
    entry: (command, args) => ({ source: "custom", command, args, env: {} }),
  },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[];

export interface InstallOptions {
  client: ClientName;
  command: string;
  args: readonly string[];
  /** The folder of the project whose file is written. Default: the user's file. */
  project?: string | undefined;
  home?: string;
  system?: NodeJS.Platform;
  environment?: Where["environment"];
}

/** A file as it is to be written. */
export interface Installation {
  file: string;
  /** The text before; undefined if there is no such file. */
  before: string | undefined;
  after: string;
  /** The part of it that is ours. */
  entry: string;
}

/**
 * Returns the file of a client's configuration, for the user or for a project. Reads nothing.
 *
 * @throws {SettingsError} If the client has no file for a project.
 */
export function fileOf(name: ClientName, where: Where, project?: string): string {
  const client: Client = CLIENTS[name];
  if (project === undefined) return client.file(where);
  if (client.project === undefined)
    throw new SettingsError(`${name} has no configuration for a project.`);
  return joined(where, project, client.project);
}

/**
 * Returns the configuration of a client with our server in it.
 *
 * @throws {SettingsError} If the client has no file for a project, or if its file is not JSON.
 */
export function installationOf(options: InstallOptions): Installation {
  const { command, args, project } = options;
  const { home = homedir(), system = platform(), environment = process.env } = options;
  const client: Client = CLIENTS[options.client];
  const file = fileOf(options.client, { home, system, environment }, project);
  const before = existsSync(file) ? readFileSync(file, "utf8").replace(/^\uFEFF/, "") : undefined;
  const text = before === undefined || before.trim() === "" ? "{}\n" : before;
  const errors: ParseError[] = [];
  const known: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || typeof known !== "object" || known === null || Array.isArray(known)) {
    const why = error === undefined ? "it is no object" : printParseErrorCode(error.error);
    throw new SettingsError(`${file} cannot be read as JSON (${why}): mend it first.`);
  }
  const entry = client.entry(command, args);
  const edits = modify(text, [client.key, NAME], entry, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  const ours = JSON.stringify({ [client.key]: { [NAME]: entry } }, null, 2);
  return { file, before, after: applyEdits(text, edits), entry: ours };
}

/**
 * Writes the configuration, and keeps a copy of the file as it was before the first installation. Returns
 * the copy's name if there is one. The file is replaced in one step, since its client may read it.
 */
export function write({ file, before, after }: Installation): string | undefined {
  const copy = `${file}.before-nous`;
  if (before === after) return existsSync(copy) ? copy : undefined;
  mkdirSync(dirname(file), { recursive: true });
  if (before !== undefined && !existsSync(copy)) copyFileSync(file, copy);
  const unfinished = `${file}.${process.pid}.unfinished`;
  writeFileSync(unfinished, after);
  renameSync(unfinished, file);
  return existsSync(copy) ? copy : undefined;
}
