// Stores files in the memory of a server: read here, by the readers of the page, and sent as rows of an
// export. Their ids come from their contents, so that what was sent before is not stored twice.

import type { JsonObject as Json } from "nous-memory";
import { readFiles } from "./files.ts";
import type { Held } from "./held.ts";
import { exportLines, noRows } from "./lines.ts";
import { nothingRead } from "./open.ts";
import type { Plan, Sent, WrongLine } from "./records.ts";

/** Rows of a request, and their bytes of JSON, about. */
const MAX_ROWS = 250;
const MAX_SIZE = 1_000_000;
/** Wrong parts that are listed. */
const MAX_WRONG = 100;
/** The kinds of rows that are sent, in order: what a row names comes before it. */
const KINDS = ["node", "cluster", "membership", "edge"];

interface Planned {
  held: Held;
  rows: Json[];
  /** How many of them were sent. */
  done: number;
  sent: Sent;
}
let planned: Planned | undefined;

/** Reads files, and tells what would become of them. */
export async function plan(
  held: Held,
  files: readonly File[],
  progress: (share: number) => void,
): Promise<Plan> {
  const rows = { ...noRows(), preset: held.preset };
  const wrong: WrongLine[] = [];
  let wrongCount = 0;
  const note = (line: WrongLine) => {
    wrongCount += 1;
    if (wrong.length < MAX_WRONG) wrong.push(line);
  };
  const left = new Map<string, number>();
  await readFiles(rows, files, {
    ...{ wrong: note, progress, engine: held.engine },
    left: (why) => left.set(why, (left.get(why) ?? 0) + 1),
  });
  if (rows.nodes.size === 0) throw new Error(nothingRead(wrong));
  const lines = [...exportLines(rows, (subtype) => held.engine.getSectionForSubtype(subtype))];
  const isThere = (row: Json) => row.kind === "node" && held.row(row.id as string) !== undefined;
  const sent = KINDS.flatMap((kind) => lines.filter((row) => row.kind === kind && !isThere(row)));
  const there = lines.filter(isThere).length;
  planned = {
    ...{ held, done: 0, sent: { added: 0, refused: [], refusedCount: 0 } },
    // The server makes the vectors by its own model.
    rows: sent.map(({ embedding: _vector, embedding_model: _model, ...row }) => row as Json),
  };
  return { memories: rows.nodes.size - there, there, wrong, wrongCount, left: countsIn(left) };
}

const countsIn = (left: ReadonlyMap<string, number>) =>
  [...left].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);

/** Sends what was planned. After a failure it goes on where it ended. */
export async function send(held: Held, progress: (share: number) => void): Promise<Sent> {
  if (planned === undefined || planned.held !== held || held.server === undefined)
    throw new Error("Another memory was opened meanwhile. Drop the files again.");
  const { rows, sent } = planned;
  held.server.isStoring = true;
  while (planned.done < rows.length) {
    const batch = batchOf(rows, planned.done);
    const refused = await held.server.importRows(batch);
    planned.done += batch.length;
    sent.refusedCount += refused.length;
    for (const { row, why } of refused)
      if (sent.refused.length < MAX_WRONG)
        sent.refused.push({ id: String(row.id ?? row.node_id), why });
    const isNode = ({ kind }: Json) => kind === "node";
    sent.added += batch.filter(isNode).length - refused.filter(({ row }) => isNode(row)).length;
    progress(planned.done / rows.length);
  }
  planned = undefined;
  return sent;
}

/** Returns the next rows of a request. */
function batchOf(rows: readonly Json[], from: number): Json[] {
  const batch: Json[] = [];
  let size = 0;
  for (const row of rows.slice(from, from + MAX_ROWS)) {
    size += JSON.stringify(row).length;
    if (batch.length > 0 && size > MAX_SIZE) break;
    batch.push(row);
  }
  return batch;
}
