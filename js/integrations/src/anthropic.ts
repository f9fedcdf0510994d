// The memory tool of Anthropic's API (`memory_20250818`): files under /memories, kept as memories.
//
// Idea: a file is one memory. Its id is a hash of its path, its title the path, its body the text. The
// metadata names the folders above it, by which the server filters. Folders exist while they have files.
//
// Soundness: a path is never one of the file system. `..` is resolved within /memories, and a path that
// leaves it is refused. Results and errors are those of the documentation, which the SDK's own tool for
// files has, too: a test compares both.

import type { Filter, MemoryNode, NousClient } from "nous-server/client";
import { hexOf } from "./hash.ts";
import { nodesOf } from "./pages.ts";
import { statusOf, unlessGone } from "./texts.ts";

const ROOT = "/memories";
const SOURCE = "memory-tool";
/** The server's limit of a text in a filter. */
const MAX_PATH = 1_000;
const MAX_LINES = 999_999;
/** The most occurrences of a text whose lines are told: more would fill the model's context. */
const MAX_LISTED = 20;
/** The columns of a line number. */
const WIDTH = 6;
/** Folders are shown down to this depth. */
const MAX_DEPTH = 2;

/** Shows a file with line numbers, or a folder. */
export interface ViewCommand {
  command: "view";
  path: string;
  /** The first and the last line, from 1; -1 is the end. */
  view_range?: number[];
}
/** Makes a file. */
export interface CreateCommand {
  command: "create";
  path: string;
  file_text: string;
}
/** Replaces a text that occurs once. */
export interface StrReplaceCommand {
  command: "str_replace";
  path: string;
  old_str: string;
  new_str: string;
}
/** Inserts a text after a line; 0 is the beginning. */
export interface InsertCommand {
  command: "insert";
  path: string;
  insert_line: number;
  insert_text: string;
}
/** Deletes a file, or a folder with all in it. */
export interface DeleteCommand {
  command: "delete";
  path: string;
}
/** Renames or moves a file or a folder. */
export interface RenameCommand {
  command: "rename";
  old_path: string;
  new_path: string;
}
/** The input of a call of the tool. */
export type MemoryCommand =
  | ViewCommand
  | CreateCommand
  | StrReplaceCommand
  | InsertCommand
  | DeleteCommand
  | RenameCommand;

/** A file, as it is stored. */
interface File {
  path: string;
  text: string;
  createdAt: string | null;
}

/**
 * The handlers of the memory tool, over the memory of an agent. A method returns the text for the model. It
 * throws an `Error` whose message is for the model, too: send it as a result with `is_error`, as the SDK
 * does.
 *
 * @example
 * ```ts
 * const tool = betaMemoryTool(new NousMemoryTool(memory));
 * await anthropic.beta.messages.toolRunner({ model, max_tokens: 1000, messages, tools: [tool] });
 * ```
 */
export class NousMemoryTool {
  readonly #memory: NousClient;

  /** Creates the handlers. It sends nothing. */
  constructor(memory: NousClient) {
    this.#memory = memory;
  }

  /** Carries out the input of a call, for programs without the SDK's runner. */
  async run(command: MemoryCommand): Promise<string> {
    switch (command.command) {
      case "view":
        return this.view(command);
      case "create":
        return this.create(command);
      case "str_replace":
        return this.str_replace(command);
      case "insert":
        return this.insert(command);
      case "delete":
        return this.delete(command);
      case "rename":
        return this.rename(command);
      default:
        throw new Error(`${(command as { command: unknown }).command} is no command of the memory`);
    }
  }

  /** Shows a file with line numbers, or the files of a folder with their sizes. */
  async view({ path: given, view_range: range }: Omit<ViewCommand, "command">): Promise<string> {
    const path = pathOf(given);
    const file = await this.#file(path);
    if (file !== undefined) return contentOf(given, file.text, range);
    const files = await this.#below(path);
    if (files.length === 0 && path !== ROOT) throw missing(given);
    return listOf(given.replace(/\/+$/, ""), path, files);
  }

  /** Makes a file. */
  async create({ path: given, file_text: text }: Omit<CreateCommand, "command">): Promise<string> {
    const path = pathOf(given);
    await this.#checkFree(path, () => new Error(`File ${given} already exists`));
    const { id, ...fields } = await memoryOf({ path, text, createdAt: null });
    try {
      await this.#memory.createNode({ id, ...fields });
    } catch (error) {
      if (statusOf(error) === 409) throw new Error(`File ${given} already exists`);
      throw error;
    }
    return `File created successfully at: ${given}`;
  }

  /** Replaces a text that occurs once in a file. */
  async str_replace({
    path: given,
    old_str: old,
    new_str: replacement,
  }: Omit<StrReplaceCommand, "command">): Promise<string> {
    const file = await this.#editable(given);
    const { lines, count } = linesWith(file.text, old);
    if (count === 0)
      throw new Error(
        `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${given}.`,
      );
    if (count > 1) {
      const more = count > lines.length ? ` and ${count - lines.length} more` : "";
      throw new Error(
        `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ` +
          `${lines.join(", ")}${more}. Please ensure it is unique`,
      );
    }
    const text = file.text.replace(old, () => replacement);
    await this.#put({ ...file, text });
    const all = text.split("\n");
    const from = Math.max(0, lines[0]! - 3);
    const shown = numbered(all.slice(from, Math.min(all.length, lines[0]! + 2)), from + 1);
    return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${shown}`;
  }

  /** Inserts a text after a line of a file. */
  async insert({
    path: given,
    insert_line: line,
    insert_text: inserted,
  }: Omit<InsertCommand, "command">): Promise<string> {
    const file = await this.#editable(given);
    const lines = file.text.split("\n");
    if (!Number.isInteger(line) || line < 0 || line > lines.length)
      throw new Error(
        `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: ` +
          `[0, ${lines.length}]`,
      );
    lines.splice(line, 0, inserted.replace(/\n$/, ""));
    await this.#put({ ...file, text: lines.join("\n") });
    return `The file ${given} has been edited.`;
  }

  /** Deletes a file, or a folder with all in it. */
  async delete({ path: given }: Omit<DeleteCommand, "command">): Promise<string> {
    const path = pathOf(given);
    if (path === ROOT) throw new Error(`Cannot delete the ${ROOT} directory itself`);
    const isFile = (await unlessGone(this.#memory.deleteNode(await idOf(path)))) !== undefined;
    const { deleted } = await this.#memory.deleteNodes({ filter: filterOf(path) });
    if (!isFile && deleted === 0) throw new Error(`The path ${given} does not exist`);
    return `Successfully deleted ${given}`;
  }

  /** Renames or moves a file, or a folder with all in it. It is no transaction. */
  async rename({
    old_path: oldGiven,
    new_path: newGiven,
  }: Omit<RenameCommand, "command">): Promise<string> {
    const [from, to] = [pathOf(oldGiven), pathOf(newGiven)];
    if (from === ROOT) throw new Error(`Cannot rename the ${ROOT} directory itself`);
    await this.#checkFree(to, () => new Error(`The destination ${newGiven} already exists`));
    const file = await this.#file(from);
    const files = file === undefined ? await this.#below(from) : [file];
    if (files.length === 0) throw new Error(`The path ${oldGiven} does not exist`);
    if (to.startsWith(`${from}/`)) throw new Error(`Cannot move ${oldGiven} into itself`);
    // All paths are checked before the first is written.
    const moved = files.map((one) => ({ ...one, path: pathOf(to + one.path.slice(from.length)) }));
    for (const one of moved) await this.#put(one);
    for (const { path } of files) await unlessGone(this.#memory.deleteNode(await idOf(path)));
    return `Successfully renamed ${oldGiven} to ${newGiven}`;
  }

  /** Returns the file at a path; undefined if there is none. */
  async #file(path: string): Promise<File | undefined> {
    const node = await unlessGone(this.#memory.readNode(await idOf(path), { recall: false }));
    return node && fileOf(node);
  }

  /** Returns the files below a folder. */
  async #below(path: string): Promise<File[]> {
    const files: File[] = [];
    for await (const node of nodesOf(this.#memory, filterOf(path))) {
      const file = fileOf(node);
      if (file !== undefined) files.push(file);
    }
    return files;
  }

  /** @throws {Error} If the path is no file. */
  async #editable(given: string): Promise<File> {
    const path = pathOf(given);
    const file = await this.#file(path);
    if (file !== undefined) return file;
    const isFolder = path === ROOT || (await this.#below(path)).length > 0;
    throw isFolder ? new Error(`The path ${given} is not a file.`) : missing(given);
  }

  /** @throws {Error} If there is a file or a folder at a path, or a file in the place of a folder. */
  async #checkFree(path: string, there: () => Error): Promise<void> {
    if (path === ROOT || (await this.#file(path)) !== undefined) throw there();
    if ((await this.#below(path)).length > 0) throw there();
    for (const folder of foldersOf(path))
      if ((await this.#file(folder)) !== undefined)
        throw new Error(`The path ${folder} is a file, and not a directory.`);
  }

  async #put(file: File): Promise<void> {
    const { id, ...fields } = await memoryOf(file);
    await this.#memory.putNode(id, fields);
  }
}

const missing = (given: string): Error =>
  new Error(`The path ${given} does not exist. Please provide a valid path.`);

/**
 * Returns a path without `.`, `..` and empty parts.
 *
 * @throws {Error} If it does not lead into /memories, or is too long.
 */
function pathOf(given: string): string {
  if (given !== ROOT && !given.startsWith(`${ROOT}/`))
    throw new Error(`Path must start with ${ROOT}, got: ${given}`);
  const parts: string[] = [];
  for (const part of given.slice(ROOT.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined)
      throw new Error(`Path ${given} would escape ${ROOT} directory`);
  }
  const path = [ROOT, ...parts].join("/");
  if (path.length > MAX_PATH || path.includes("\0"))
    throw new Error(`Path must have at most ${MAX_PATH} characters, and no U+0000`);
  return path;
}

/** Returns the folders above a path, but for /memories. */
function foldersOf(path: string): string[] {
  const parts = path.slice(ROOT.length + 1).split("/");
  return parts.slice(0, -1).map((_, at) => [ROOT, ...parts.slice(0, at + 1)].join("/"));
}

const idOf = async (path: string): Promise<string> => `mt_${await hexOf(path)}`;

const filterOf = (folder: string): Filter => ({
  source: SOURCE,
  metadata: { "memory_tool.under": folder },
});

async function memoryOf({ path, text, createdAt }: File) {
  return {
    id: await idOf(path),
    type: "fact",
    content_title: path.slice(ROOT.length + 1),
    // An empty body is none.
    content_body: text === "" ? null : text,
    metadata: { memory_tool: { path, under: [ROOT, ...foldersOf(path)] } },
    source: SOURCE,
    ...(createdAt === null ? {} : { created_at: createdAt }),
  };
}

/** Returns the file that a memory is; undefined if another program made it. */
function fileOf({ metadata, content_body, created_at }: MemoryNode): File | undefined {
  const { path } = ((metadata ?? {}) as { memory_tool?: { path?: unknown } }).memory_tool ?? {};
  return typeof path === "string"
    ? { path, text: content_body ?? "", createdAt: created_at }
    : undefined;
}

// ---- results --------------------------------------------------------------------------------------

const numbered = (lines: readonly string[], first: number): string =>
  lines.map((line, at) => `${String(at + first).padStart(WIDTH, " ")}\t${line}`).join("\n");

function contentOf(given: string, text: string, range: readonly number[] | undefined): string {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES)
    throw new Error(
      `File ${given} has too many lines (${lines.length}). Maximum is ${MAX_LINES.toLocaleString("en")} lines.`,
    );
  const [first = 1, last = -1] = range?.length === 2 ? range : [];
  const from = Math.max(1, first) - 1;
  const shown = lines.slice(from, last === -1 ? undefined : last);
  return `Here's the content of ${given} with line numbers:\n${numbered(shown, from + 1)}`;
}

/** A file or a folder, and what is in the folder. */
interface Item {
  bytes: number;
  items: Map<string, Item> | undefined;
}

function listOf(given: string, folder: string, files: readonly File[]): string {
  const top: Item = { bytes: 0, items: new Map() };
  for (const { path, text } of files) {
    const bytes = new TextEncoder().encode(text).length;
    let at = top;
    at.bytes += bytes;
    const parts = path.slice(folder.length + 1).split("/");
    for (const [depth, part] of parts.entries()) {
      const isFile = depth === parts.length - 1;
      const next = at.items!.get(part) ?? { bytes: 0, items: isFile ? undefined : new Map() };
      next.bytes += bytes;
      at.items!.set(part, next);
      at = next;
    }
  }
  const header = `Here're the files and directories up to 2 levels deep in ${given}, excluding hidden items and node_modules:`;
  return [header, `${sizeOf(top.bytes)}\t${given}`, ...linesIn(top, given, 1)].join("\n");
}

function linesIn({ items }: Item, path: string, depth: number): string[] {
  const shown = [...items!].filter(([name]) => !name.startsWith(".") && name !== "node_modules");
  return shown
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, item]) => {
      const own = `${path}/${name}`;
      if (item.items === undefined) return [`${sizeOf(item.bytes)}\t${own}`];
      const inside = depth < MAX_DEPTH ? linesIn(item, own, depth + 1) : [];
      return [`${sizeOf(item.bytes)}\t${own}/`, ...inside];
    });
}

function sizeOf(bytes: number): string {
  if (bytes === 0) return "0B";
  const unit = Math.floor(Math.log(bytes) / Math.log(1024));
  const size = bytes / 1024 ** unit;
  return `${size % 1 === 0 ? size : size.toFixed(1)}${"BKMG"[unit]}`;
}

/** Returns the lines of the first occurrences of a text, and how many occurrences there are. */
function linesWith(text: string, old: string): { lines: number[]; count: number } {
  const lines: number[] = [];
  let count = 0;
  if (old === "") return { lines, count };
  let [line, counted] = [1, 0];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) {
    count += 1;
    if (count > MAX_LISTED) continue;
    for (; counted < at; counted += 1) if (text[counted] === "\n") line += 1;
    lines.push(line);
  }
  return { lines, count };
}
