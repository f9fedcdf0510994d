// The names of the programs whose files can be read.

/** The programs whose files are JSON. */
export const JSON_SOURCES = [
  ...(["chatgpt", "claude", "gemini", "mem0", "zep", "letta"] as const),
  ...(["mcp-memory", "langgraph", "jsonl"] as const),
] as const;
/** See `JSON_SOURCES`. */
export type JsonSource = (typeof JSON_SOURCES)[number];

/** How Markdown is read: as notes and documents, or as basic-memory writes it. */
export const NOTE_FORMATS = ["markdown", "basic-memory"] as const;
/** See `NOTE_FORMATS`. */
export type NoteFormat = (typeof NOTE_FORMATS)[number];
