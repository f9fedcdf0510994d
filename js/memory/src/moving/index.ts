// Moving in and out: readers of other programs' files, the rows that their memories become, and memories as
// Markdown notes. It is an entry of its own, since most programs need none of it.

export type { ReadNote } from "./basic-memory.ts";
export { readChatgpt } from "./chatgpt.ts";
export { readClaude } from "./claude.ts";
export { readDocument } from "./document.ts";
export { decoded, type Encoding, encodingOf } from "./encoding.ts";
export { type JsonPart, jsonParts } from "./json-parts.ts";
export { keyOf } from "./key.ts";
export { type FileKind, kindOf, readWhole } from "./kinds.ts";
export {
  type FoundLink,
  linksAmong,
  type OpenLink,
  readMarkdownFile,
} from "./markdown-files.ts";
export type { Mem0Memory } from "./mem0.ts";
export {
  FileError,
  type LeftOut,
  type Moved,
  type MovedLink,
  type MovedMemory,
  type Place,
  type Run,
  type SourceFile,
} from "./moved.ts";
export type { NoteLink } from "./names.ts";
export { type Note, nameOfNote, readNote, writeNote } from "./note.ts";
export {
  type ExportRow,
  LINKED,
  linkId,
  type MovedRow,
  type MovingOptions,
  type NodeOfMoved,
  nodesOf,
  rowsOf,
  withSubtype,
} from "./rows.ts";
export { filesOfSource, readSource } from "./sources.ts";
