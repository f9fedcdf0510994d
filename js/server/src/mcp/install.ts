// Writes the configuration of an MCP client so that it starts `nous-server mcp`. What the file holds
// stays as it is, comments included.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, posix, win32 } from "node:path";
import { SettingsError } from "../refusal.ts";
import { FORMS, type Form } from "./config-files.ts";

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
  /** The form of the file. Default: JSON, with comments. */
  form?: keyof typeof FORMS;
  /** Whether a file beside it, with `c` at its end, takes its place if it is there. */
  mayHaveComments?: true;
  /** The key under which servers stand. */
  key: string;
  /** Returns the entry of a server. */
  entry(command: string, args: readonly string[]): object;
}

const stdio = (command: string, args: readonly string[]) => ({ command, args });

/** Joins parts as the paths of the system are written. */
export const joined = ({ system }: Pick<Where, "system">, ...parts: string[]): string =>
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
  windsurf: {
    file: (where) => joined(where, where.home, ".codeium", "windsurf", "mcp_config.json"),
    key: "mcpServers",
    entry: stdio,
  },
  codex: {
    file: (where) =>
      joined(
        where,
        where.environment.CODEX_HOME || joined(where, where.home, ".codex"),
        "config.toml",
      ),
    project: ".codex/config.toml",
    form: "toml",
    key: "mcp_servers",
    entry: stdio,
  },
  gemini: {
    file: (where) => joined(where, where.home, ".gemini", "settings.json"),
    project: ".gemini/settings.json",
    key: "mcpServers",
    entry: stdio,
  },
  cline: {
    file: (where) =>
      joined(where, where.home, ".cline", "data", "settings", "cline_mcp_settings.json"),
    key: "mcpServers",
    entry: (command, args) => ({ command, args, disabled: false }),
  },
  opencode: {
    file: (where) => joined(where, xdgDir(where), "opencode", "opencode.json"),
    project: "opencode.json",
    mayHaveComments: true,
    key: "mcp",
    entry: (command, args) => ({ type: "local", command: [command, ...args], enabled: true }),
  },
  goose: {
    file: (where) =>
      where.system === "win32"
        ? joined(where, configDir(where), "Block", "goose", "config", "config.yaml")
        : joined(where, xdgDir(where), "goose", "config.yaml"),
    form: "yaml",
    key: "extensions",
    entry: (command, args) => ({
      ...{ enabled: true, type: "stdio", name: NAME, description: "Memory over conversations" },
      ...{ cmd: command, args, envs: {}, timeout: 300 },
    }),
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
  /** The part of it that is ours; empty if it is removed. */
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

/** Returns the text of a file; undefined if there is none. */
export const textOf = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, "utf8").replace(/^\uFEFF/, "") : undefined;

/**
 * Returns the configuration of a client with our server in it.
 *
 * @throws {SettingsError} If the client has no file for a project, or if its file cannot be read.
 */
export function installationOf(options: InstallOptions): Installation {
  const { command, args } = options;
  return edited(options, CLIENTS[options.client].entry(command, args));
}

/** Returns the configuration of a client without our server. @throws As `installationOf` does. */
export const removalOf = (options: Omit<InstallOptions, "command" | "args">): Installation =>
  edited(options, undefined);

function edited(
  options: Omit<InstallOptions, "command" | "args">,
  entry: object | undefined,
): Installation {
  const { home = homedir(), system = platform(), environment = process.env, project } = options;
  const client: Client = CLIENTS[options.client];
  const form: Form = FORMS[client.form ?? "json"];
  const named = fileOf(options.client, { home, system, environment }, project);
  const file = client.mayHaveComments === true && existsSync(`${named}c`) ? `${named}c` : named;
  const before = textOf(file);
  const text = before === undefined || before.trim() === "" ? form.empty : before;
  const path = [client.key, NAME] as const;
  const shown = entry === undefined ? "" : form.shown(path, entry);
  try {
    return { file, before, after: form.edited(text, path, entry), entry: shown };
  } catch (error) {
    const why = (error as Error).message.split("\n", 1)[0];
    throw new SettingsError(
      `${file} cannot be edited as ${form.name} (${why}): mend it first` +
        `${shown === "" ? "." : `, or add this yourself:\n\n${shown}`}`,
    );
  }
}

/**
 * Writes the configuration, and keeps a copy of the file as it was before the first installation. Returns
 * the copy's name if there is one. The file is replaced in one step, since its client may read it, with its
 * permissions; a link stays, and its target is replaced.
 */
export function write({ file, before, after }: Installation): string | undefined {
  const copy = `${file}.before-nous`;
  if (before === after) return existsSync(copy) ? copy : undefined;
  mkdirSync(dirname(file), { recursive: true });
  if (before !== undefined && !existsSync(copy)) copyFileSync(file, copy);
  const target = before === undefined ? file : realpathSync(file);
  const unfinished = `${target}.${process.pid}.unfinished`;
  writeFileSync(unfinished, after, before === undefined ? {} : { mode: statSync(target).mode });
  renameSync(unfinished, target);
  return existsSync(copy) ? copy : undefined;
}
