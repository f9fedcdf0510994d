// The result of a reader of files: rows of an export, as in the lines of nous-server.

/** A row of an export. */
export type ExportRow = Readonly<Record<string, unknown>> & { readonly kind: string };

/** The rows of a file, and the parts that could not be read. */
export interface Reading {
  rows: ExportRow[];
  wrong: {
    /** Its place in the file, from 1: a line, or a conversation. */
    line: number;
    why: string;
  }[];
}

/** A file as a reader gets it. */
export interface Text {
  /** Name of the file. The names of the files that are opened together differ. */
  name: string;
  text: string;
  /** When it was last changed, in milliseconds since 1970. */
  modified: number;
}

/**
 * Thrown for a file that holds nothing a reader knows. The message is a sentence for the visitor.
 */
export class FileError extends Error {
  override readonly name = "FileError";
}

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a text that is not empty; undefined for anything else. */
export const someText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** Returns the membership of a memory in a run. */
export const membership = (cluster_id: string, node_id: string): ExportRow => ({
  kind: "membership",
  cluster_id,
  node_id,
});

/** A message of a conversation. */
export interface Turn {
  id: string;
  text: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Who said it, and where: `chatgpt:assistant`. */
  source: string;
}

/** Returns the rows of a conversation: the run, its turns in order, and their memberships. */
export function conversationRows(id: string, name: string, turns: readonly Turn[]): ExportRow[] {
  if (turns.length === 0) return [];
  const created = new Date(turns[0]!.at).toISOString();
  return [
    { kind: "cluster", id, name, created_at: created },
    ...turns.flatMap((turn) => {
      const created_at = new Date(turn.at).toISOString();
      const node: ExportRow = {
        kind: "node",
        id: turn.id,
        type: "episode",
        subtype: "custom:turn",
        content_title: "",
        content_body: turn.text,
        provenance_source: turn.source,
        provenance_created_at: created_at,
        created_at,
      };
      return [node, membership(id, turn.id)];
    }),
  ];
}

/** Returns the rows of a document: the run, and its memories in order. */
export function documentRows(
  { name, modified, tags }: Pick<Text, "name" | "modified"> & { tags: readonly string[] },
  parts: readonly { title: string; text: string }[],
): ExportRow[] {
  if (parts.length === 0) return [];
  const created_at = new Date(modified).toISOString();
  return [
    { kind: "cluster", id: name, name, created_at },
    ...parts.flatMap(({ title, text }, place) => {
      const id = `${name}:${place + 1}`;
      const node: ExportRow = {
        kind: "node",
        id,
        type: "note",
        subtype: "custom:note",
        content_title: title,
        content_body: text,
        ...(tags.length === 0 ? {} : { tags }),
        provenance_source: "file",
        provenance_created_at: created_at,
        created_at,
      };
      return [node, membership(name, id)];
    }),
  ];
}
