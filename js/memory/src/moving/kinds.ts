// Detects the kind of a file by its content, and reads it. Lines of an export are read elsewhere: they
// arrive as a stream.

import { readDocument } from "./document.ts";
import { decoded, encodingOf } from "./encoding.ts";
import { isActivityPage, readGeminiPage } from "./gemini.ts";
import { jsonParts } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import { FileError, isObject, type Moved, type MovedMemory } from "./moved.ts";
import { readSource, sourceOf } from "./sources.ts";

/** The kind of a file. */
export type FileKind = "zip" | "lines" | "json" | "document";

/** Lines among which one of an export is looked for. */
const LOOKED_AT = 20;

/**
 * Returns the kind of a file, by its first bytes. A document is Markdown or other text.
 *
 * @throws {FileError} If it cannot be read. The message names the kind of the file.
 */
export function kindOf(start: Uint8Array): FileKind {
  if (start[0] === 0x50 && start[1] === 0x4b && start[2] === 3) return "zip";
  if (start.length === 0) throw new FileError("The file is empty.");
  const text = decoded(start, encodingOf(start, false));
  const trimmed = text.trimStart();
  if (trimmed === "") throw new FileError("The file holds only blanks.");
  if (isActivityPage(trimmed)) return "json";
  if (/^<(?:!doctype html|html|\?xml)/i.test(trimmed))
    throw new FileError(
      "This is a web page or XML. The export has a conversations.json: drop that.",
    );
  if (trimmed.startsWith("{") && hasExportLine(trimmed)) return "lines";
  if (/^(?:\[(?:\s*null\s*,)*\s*[{\]]|\{\s*["}])/.test(trimmed)) return "json";
  if (hasExportLine(trimmed)) return "lines";
  return "document";
}

/** Whether one of the first lines is that of an export: an object with a `kind`. */
function hasExportLine(text: string): boolean {
  return text.split("\n", LOOKED_AT).some((line) => {
    if (!line.startsWith("{")) return false;
    try {
      const json: unknown = JSON.parse(line);
      return isObject(json) && typeof json.kind === "string";
    } catch {
      // The first bytes may end within a line.
      return /^\{"kind":"\w+",/.test(line);
    }
  });
}

/**
 * Yields the memories of a document with ids by their words. The name of a file alone does not tell it from
 * others of the same name, and a changed file keeps the memories that did not change.
 */
function* byWords(memories: Iterable<MovedMemory>): Iterable<MovedMemory> {
  const times = new Map<string, number>();
  let first: string | undefined;
  for (const memory of memories) {
    const key = `file:${keyOf(memory.title ?? "", memory.text)}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    first ??= key;
    const run = memory.run && { ...memory.run, id: `run:${first}` };
    yield { ...memory, id: time === 1 ? key : `${key}:${time}`, run };
  }
}

/**
 * Returns the memories of a file that is no export of nous-server, and what of it is not taken.
 *
 * @throws {FileError} If it holds nothing that is known.
 */
export function readWhole(
  kind: "json" | "document",
  { name, text, modified }: { name: string; text: string; modified: number },
): Moved[] {
  const whole = text.replace(/\r\n?/g, "\n");
  const file = { name, modified, chunks: () => [whole] };
  if (kind === "document") return [...byWords(readDocument(file, whole))];
  if (isActivityPage(whole)) return [...readGeminiPage(file, whole)];
  const source = sourceOf(Array.from(jsonParts([whole]), ({ json }) => json));
  if (source === undefined)
    throw new FileError(
      "This is JSON, but no export of nous-server, ChatGPT, Claude, Gemini, mem0, Zep, Letta or " +
        "LangGraph, and no file of the MCP server for memory.",
    );
  return [...readSource(source, file)];
}
