// Detects the kind of a file by its content, and reads it. Lines of an export are read elsewhere
// (lines.ts): they arrive as a stream.

import { isChatgpt, readChatgpt } from "./chatgpt.ts";
import { isClaude, readClaude } from "./claude.ts";
import { readDocument } from "./document.ts";
import { decoded, encodingOf } from "./encoding.ts";
import { isKnowledgeGraph, readKnowledgeGraph } from "./knowledge-graph.ts";
import { FileError, isObject, type Reading, type Text } from "./reading.ts";

/** The kind of a file. */
export type FileKind = "zip" | "lines" | "json" | "document";

/** Lines among which one of an export is looked for. */
const LOOKED_AT = 20;

/**
 * Returns the kind of a file, by its first bytes. A document is Markdown or other text.
 *
 * @throws {FileError} If the page cannot read it. The message names the kind of the file.
 */
export function kindOf(start: Uint8Array): FileKind {
  if (start[0] === 0x50 && start[1] === 0x4b && start[2] === 3) return "zip";
  if (start.length === 0) throw new FileError("The file is empty.");
  const text = decoded(start, encodingOf(start, false));
  const trimmed = text.trimStart();
  if (trimmed === "") throw new FileError("The file holds only blanks.");
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
 * Reads a file that is no export of nous-server.
 *
 * @throws {FileError} If it holds nothing that the page knows.
 */
export function readWhole(kind: "json" | "document", file: Text): Reading {
  const whole = { ...file, text: file.text.replace(/\r\n?/g, "\n") };
  return kind === "json" ? readConversations(whole) : readDocument(whole);
}

function readConversations(file: Text): Reading {
  const { list, wrong } = jsonIn(file.text);
  const { rows, wrong: within } = readerOf(list)(list);
  return { rows, wrong: [...wrong, ...within] };

  function readerOf(json: readonly unknown[]): (json: readonly unknown[]) => Reading {
    if (isChatgpt(json)) return (all) => readChatgpt(file, all);
    if (isClaude(json)) return (all) => readClaude(file, all);
    if (isKnowledgeGraph(json)) return (all) => readKnowledgeGraph(file, all);
    throw new FileError(
      "This is JSON, but no export of nous-server, ChatGPT or Claude, and no file of the MCP server " +
        "for memory. Theirs are conversations.json and memory.json.",
    );
  }
}

/** Returns the parts of JSON: of a list, of an object as the only one, or of lines of JSON. */
function jsonIn(text: string): { list: readonly unknown[]; wrong: Reading["wrong"] } {
  try {
    const json: unknown = JSON.parse(text);
    return { list: Array.isArray(json) ? json : [json], wrong: [] };
  } catch {
    return linesIn(text);
  }
}

/** Returns the parts of lines of JSON. A line that is none, such as one cut off, is wrong. */
function linesIn(text: string): { list: readonly unknown[]; wrong: Reading["wrong"] } {
  const list: unknown[] = [];
  const wrong: Reading["wrong"] = [];
  for (const [place, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      list.push(JSON.parse(line));
    } catch {
      wrong.push({ line: place + 1, why: "is not JSON" });
    }
  }
  if (!list.some(isObject) || wrong.length >= list.length)
    throw new FileError("This begins as JSON but is not: it may be cut off. Export it anew.");
  return { list, wrong };
}
