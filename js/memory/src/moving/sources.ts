// The programs whose files can be read: which files of a folder are theirs, and their reader.

import { isChatgpt, readChatgpt } from "./chatgpt.ts";
import { isClaude, readClaude } from "./claude.ts";
import { isActivityPage, isGemini, readGemini, readGeminiPage } from "./gemini.ts";
import { type JsonPart, jsonParts } from "./json-parts.ts";
import { isKnowledgeGraph, readKnowledgeGraph } from "./knowledge-graph.ts";
import { isLanggraph, readLanggraph } from "./langgraph.ts";
import { isLetta, readLetta } from "./letta.ts";
import { isMem0, readMem0 } from "./mem0.ts";
import { FileError, isObject, type Moved, type SourceFile, wrongPart } from "./moved.ts";
import { JSON_SOURCES, type JsonSource } from "./source-names.ts";
import { readTexts } from "./texts.ts";
import { isZep, readZep } from "./zep.ts";

interface Reader {
  /** The names of its files in a folder. */
  files: RegExp;
  /** Whether a part is one of its. */
  knows(json: unknown): boolean;
  read(file: SourceFile, parts: Iterable<JsonPart>): Iterable<Moved>;
  /** What its files are, for a person. */
  what: string;
}

const ANY_JSON = /\.(?:json|jsonl|ndjson)$/i;

const READERS = {
  chatgpt: {
    files: /(?:^|\/)conversations[^/]*\.json$/i,
    ...{ knows: isChatgpt, read: readChatgpt },
    what: "conversations of ChatGPT: name its export, or the conversations.json in it",
  },
  claude: {
    files:
      /(?:^|\/)(?:conversations|memories|projects)[^/]*\.json$|(?:^|\/)(?:memories|projects)\/[^/]+\.json$/i,
    ...{ knows: isClaude, read: readClaude },
    what: "conversations of Claude: name its export, or the conversations.json in it",
  },
  gemini: {
    files: /(?:^|\/)My ?Activity\.(?:json|html)$/i,
    ...{ knows: isGemini, read: readGemini },
    what: "activity of Gemini: name MyActivity.json of a Takeout of My Activity",
  },
  mem0: {
    ...{ files: ANY_JSON, knows: isMem0, read: readMem0 },
    what: "memories of mem0: name the answer of `get_all` as JSON",
  },
  zep: {
    ...{ files: ANY_JSON, knows: isZep, read: readZep },
    what: "facts, episodes or messages of Zep: name an answer of its interface as JSON",
  },
  letta: {
    files: /\.(?:af|json|jsonl)$/i,
    ...{ knows: isLetta, read: readLetta },
    what: "an agent file (.af) of Letta, or passages of its archival memory",
  },
  "mcp-memory": {
    ...{ files: ANY_JSON, knows: isKnowledgeGraph, read: readKnowledgeGraph },
    what: "entities and relations of the MCP server for memory: name its memory.jsonl",
  },
  langgraph: {
    ...{ files: ANY_JSON, knows: isLanggraph, read: readLanggraph },
    what: "items of a store of LangGraph, with namespace, key and value",
  },
  jsonl: {
    files: /\.(?:jsonl|ndjson)$/i,
    knows: (json) => typeof json === "string" || isObject(json),
    ...{ read: readTexts, what: "lines of JSON with a text" },
  },
} satisfies Readonly<Record<JsonSource, Reader>>;

/** Returns the names of the files of a program in a folder. */
export const filesOfSource = (source: JsonSource): RegExp => READERS[source].files;

/** Says what to do with lines that an export of the server wrote. */
const OWN =
  "This is an export of nous-server, which `nous-server import FILE` takes without --from.";

/** Returns whether a part is a memory of an export. */
const isRow = (json: unknown): boolean =>
  isObject(json) && json.kind === "node" && "content_title" in json;

/** Characters in which a page is told from JSON. */
const LOOKED_AT = 65_536;

/**
 * Yields the memories of a file, and what of it is not taken.
 *
 * @throws {FileError} If nothing in it is of this program. The message says which program's it seems to be.
 */
export function* readSource(source: JsonSource, file: SourceFile): Iterable<Moved> {
  const reader: Reader = READERS[source];
  const start = startOf(file);
  if (start.trim() === "") throw new FileError("The file is empty.");
  if (source === "gemini" && isActivityPage(start)) {
    yield* readGeminiPage(file, [...file.chunks()].join(""));
    return;
  }
  if (!/^[\s\ufeff]*[[{"]/.test(start))
    throw new FileError(`This is no JSON. It must hold ${reader.what}.`);
  let [known, isOwn] = [0, false];
  let first: unknown;
  const wrong: Moved[] = [];
  const parts = jsonParts(file.chunks());
  const sound = function* (): Iterable<JsonPart> {
    for (const part of parts) {
      const { of, number, wrong: why } = part;
      if (why !== undefined) {
        wrong.push(wrongPart({ file: file.name, of, number }, why));
        continue;
      }
      first ??= part.json;
      isOwn ||= isRow(part.json);
      if (!isOwn && reader.knows(part.json)) known += 1;
      yield part;
    }
  };
  const held: Moved[] = [];
  for (const moved of reader.read(file, sound())) {
    yield* wrong.splice(0);
    // Until a part is known, all may be of another program.
    if (known > 0) {
      yield* held.splice(0);
      yield moved;
    } else held.push(moved);
  }
  if (known === 0) throw new FileError(isOwn ? OWN : otherThan(reader, first));
  yield* held;
  yield* wrong;
}

function startOf(file: SourceFile): string {
  let start = "";
  for (const chunk of file.chunks()) {
    start += chunk;
    if (start.length >= LOOKED_AT) break;
  }
  return start;
}

function otherThan({ what }: Reader, json: unknown): string {
  const other = sourceOf(json === undefined ? [] : [json]);
  const found =
    other === undefined ? "" : ` It looks like a file of ${other}: use --from ${other}.`;
  return `This holds no ${what.replace(/^(?:an|a) /, "")}.${found}`;
}

/** Returns the program whose parts these are; undefined if none is known. */
export const sourceOf = (json: readonly unknown[]): JsonSource | undefined =>
  JSON_SOURCES.find((source) => source !== "jsonl" && json.some(READERS[source].knows));
