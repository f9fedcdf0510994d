// Detects the kind of a file by its content, and reads it. Lines of an export are read elsewhere
// (lines.ts): they arrive as a stream.

import { isChatgpt, readChatgpt } from "./chatgpt.ts";
import { isClaude, readClaude } from "./claude.ts";
import { isMarkdown, readMarkdown } from "./markdown.ts";
import { FileError, isObject, type Reading, type Text } from "./reading.ts";
import { readText } from "./text.ts";

/** The kind of a file. */
export type FileKind = "zip" | "lines" | "json" | "markdown" | "text";

/** Lines among which one of an export is looked for. */
const LOOKED_AT = 20;

/**
 * Returns the kind of a file, by its first bytes. The name decides only where the content does not:
 * between Markdown without headings and text.
 *
 * @throws {FileError} If the page cannot read it. The message names the kind of the file.
 */
export function kindOf(name: string, start: Uint8Array): FileKind {
  if (start[0] === 0x50 && start[1] === 0x4b && start[2] === 3) return "zip";
  if (start.length === 0) throw new FileError("The file is empty.");
  const text = new TextDecoder().decode(start);
  const broken = text.match(/\0|\ufffd/g)?.length ?? 0;
  // The first bytes may end within a character.
  if (text.startsWith("%PDF-") || broken > 2 + text.length / 200)
    throw new FileError(
      "This is no text. The page reads exports (.jsonl, conversations.json, .zip), Markdown and text.",
    );
  const trimmed = text.trimStart();
  if (trimmed === "") throw new FileError("The file holds only blanks.");
  if (/^<(?:!doctype html|html|\?xml)/i.test(trimmed))
    throw new FileError(
      "This is a web page or XML. The export has a conversations.json: drop that.",
    );
  if (trimmed.startsWith("{") && hasExportLine(trimmed)) return "lines";
  if (/^(?:\[\s*[{\]]|\{\s*["}])/.test(trimmed)) return "json";
  if (hasExportLine(trimmed)) return "lines";
  return /\.(?:md|markdown)$/i.test(name) || isMarkdown(text) ? "markdown" : "text";
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
export function readWhole(kind: "json" | "markdown" | "text", file: Text): Reading {
  const text = file.text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  if (kind === "json") return readConversations(text);
  return kind === "markdown" ? readMarkdown({ ...file, text }) : readText({ ...file, text });
}

function readConversations(text: string): Reading {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new FileError("This begins as JSON but is not: it may be cut off. Export it anew.");
  }
  const all = Array.isArray(json) ? json : [json];
  if (isChatgpt(all)) return readChatgpt(all);
  if (isClaude(all)) return readClaude(all);
  throw new FileError(
    "This is JSON, but no export of nous-server, ChatGPT or Claude. Theirs is conversations.json.",
  );
}
