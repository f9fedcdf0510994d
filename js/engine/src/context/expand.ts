// Expanding a memory: all of its fields as text, for an agent that looks up a line of its prompt.

import { listOf, requireText } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import { toMilliseconds } from "../instant.ts";
import { Batch } from "./batch.ts";
import { bodyOf, dayOf, momentIn, type RecalledRow, textIn } from "./memory.ts";
import { type MemoryType, memoryTypeOf } from "./turn.ts";

/** Returns the stored row of an id, or null. */
export type FindMemory = (
  id: string,
  type: MemoryType,
) => RecalledRow | null | undefined | PromiseLike<RecalledRow | null | undefined>;

const NOT_FOUND = "not found";
/** The most levels of a body's fields that are shown. */
const DEEPEST = 4;
/** Stands for deeper levels. */
const DEEPER = "...";

/** @internal */
export async function expandMemory(
  context: EngineContext,
  type: string,
  id: string,
  find: FindMemory,
): Promise<string> {
  requireText("type", type);
  requireText("id", id);
  if (id === "") throw invalid("id", "must not be empty");
  if (typeof find !== "function") throw invalid("find", `must be a function, found ${show(find)}`);
  const code = moduleConstants.memory_types.names.indexOf(type as MemoryType);
  if (code < 0) return `Unknown memory type: ${type}`;
  const row = await find(id, type as MemoryType);
  if (row == null) return NOT_FOUND;
  if (typeof row !== "object") throw invalid("row", `must be an object, found ${show(row)}`);
  if (memoryTypeOf(context, row.subtype) !== type) return NOT_FOUND;
  const { title, text, fields } = detailOf(context, id, row);
  const batch = new Batch();
  batch.numbers([code, fields.length]);
  for (const each of [title, text, ...fields.flat()]) batch.text(each);
  return batch.ask(context.pool, 0, ({ engine }) => engine.memory_detail());
}

/** Returns title and text of a row, and its other fields by name. */
function detailOf(context: EngineContext, id: string, row: RecalledRow) {
  const { text, ...others } = bodyOf(row.content_body);
  const [subtype, said, summary] = [textIn(row.subtype), textIn(text), textIn(row.content_summary)];
  const at = momentIn(row.provenance_created_at) ?? momentIn(row.created_at);
  const fields: [name: string, value: string][] = [
    ["id", id],
    ["section", textIn(row.memory_section) ?? context.getSectionForSubtype(subtype)],
    ["subtype", subtype ?? ""],
    ["stored", at === undefined ? "" : dayOf(toMilliseconds(at))],
    [
      "tags",
      (Array.isArray(row.tags) ? listOf("tags", row.tags) : [])
        .filter((tag) => textIn(tag) !== undefined)
        .join(", "),
    ],
  ];
  for (const [name, value] of Object.entries(others)) {
    if (value !== null)
      fields.push([name, typeof value === "string" ? value : JSON.stringify(upTo(DEEPEST, value))]);
  }
  if (summary !== undefined && said !== undefined) fields.push(["summary", summary]);
  return { title: textIn(row.content_title) ?? "", text: said ?? summary ?? "", fields };
}

/** Returns parsed JSON without the values below `levels` levels. */
function upTo(levels: number, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return DEEPER;
  if (Array.isArray(value)) return value.map((each) => upTo(levels - 1, each));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, upTo(levels - 1, each)]),
  );
}
