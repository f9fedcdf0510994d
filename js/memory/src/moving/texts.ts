// Reads lines of JSON with texts of any program: a text, or an object with a text under one of its usual
// names.

import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import {
  firstText,
  isObject,
  type Json,
  leftOut,
  type Moved,
  namesIn,
  type Place,
  type SourceFile,
  someText,
  timeOf,
  wrongPart,
} from "./moved.ts";

/** The names of each field, the first that is there. */
const NAMES = {
  text: ["text", "content", "memory", "body", "fact", "message", "value"],
  title: ["title", "name", "subject"],
  type: ["type", "kind", "category"],
  role: ["role", "speaker", "sender"],
  created: ["created_at", "createdAt", "created", "timestamp", "time", "date"],
  updated: ["updated_at", "updatedAt", "updated", "last_modified"],
  event: ["event_time", "happened_at"],
  expires: ["expires_at", "expiration_date"],
  tags: ["tags", "labels", "keywords", "categories"],
  user: ["user", "user_id"],
  session: ["session", "session_id", "conversation_id", "thread_id"],
  source: ["source"],
  id: ["id", "uuid", "_id"],
} as const;
const KNOWN = new Set<string>([...Object.values(NAMES).flat(), "metadata"]);

/** Yields a memory for each text. Fields without a place here stay in its metadata. */
export function* readTexts(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, of, number } of parts) {
    const place: Place = { file, of, number };
    const line: unknown = typeof json === "string" ? { text: json } : json;
    if (!isObject(line)) {
      yield wrongPart(place, "is neither a text nor an object with a text");
      continue;
    }
    const field = (name: keyof typeof NAMES): unknown =>
      NAMES[name].map((key) => line[key]).find((value) => value != null);
    const textIn = (name: keyof typeof NAMES) => {
      const value = field(name);
      return typeof value === "number" ? String(value) : someText(value);
    };
    const text = firstText(...NAMES.text.map((key) => line[key]));
    if (text === undefined) {
      const isEmpty = NAMES.text.some((key) => typeof line[key] === "string");
      yield isEmpty
        ? leftOut(place, "a line without words")
        : wrongPart(place, `has no text: it needs one of ${NAMES.text.join(", ")}`);
      continue;
    }
    const date = field("created");
    const created = timeOf(date);
    if (date !== undefined && created === undefined)
      yield leftOut(place, "a date that cannot be read: the memory gets that of its file");
    const [user, session, role] = [textIn("user"), textIn("session"), textIn("role")];
    yield {
      ...{ kind: "memory", place, text, title: textIn("title"), type: textIn("type"), role },
      id: textIn("id") ?? keyOf("text", user ?? "", session ?? "", role ?? "", text, String(date)),
      ...{ created, updated: timeOf(field("updated")), event: textIn("event") },
      ...{ expires: textIn("expires"), tags: namesIn(field("tags")), user, session },
      metadata: othersIn(line),
      source: textIn("source") ?? "file",
      run: session === undefined ? undefined : { id: session, name: session },
    };
  }
}

function othersIn(line: Json): Json | undefined {
  const others = Object.entries(line).filter(([name, value]) => !KNOWN.has(name) && value != null);
  const metadata = {
    ...Object.fromEntries(others),
    ...(isObject(line.metadata) ? line.metadata : {}),
  };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}
