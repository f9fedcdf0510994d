// Keeps an agent's memory in the module: search, explain, recall, sweep, snapshot.

import { type Explanation, MemoryIndex } from "nous-wasm";

const DAY = 86_400_000;
const now = Date.parse("2026-03-01T12:00:00Z");

const index = new MemoryIndex({ dimensions: 4 });
index.upsert([
  {
    id: "friday",
    subtype: "custom:lesson",
    created_at: now - 50 * DAY,
    embedding: [0.9, 0.1, 0, 0.1],
  },
  {
    id: "rollback",
    subtype: "custom:playbook",
    created_at: now - 120 * DAY,
    embedding: [0.7, 0.6, 0, 0],
  },
  { id: "tea", subtype: "custom:turn_summary", created_at: now - 3 * DAY, embedding: [0, 0, 1, 0] },
]);
index.link([{ id: "e1", source_id: "rollback", target_id: "friday", type: "applied_to" }]);

// Search by meaning. Words would come from TextIndex or from your database, as `bm25`.
const question = { embedding: [1, 0.2, 0, 0], limit: 2, now };
const { ranking } = index.search(question);
console.log("found:", ranking.ids.join(", "));

// Every number behind the first score.
print(index.explain(ranking.ids[0]!, question).score!);

function print({ name, value, operation, parts = [] }: Explanation, depth = 0): void {
  if (depth > 1) return;
  console.log(
    `${"  ".repeat(depth)}${name} ${value.toFixed(4)}${operation ? ` (${operation})` : ""}`,
  );
  for (const part of parts) print(part, depth + 1);
}

// A recall lets stability grow; a sweep says which states have changed since.
index.recall([ranking.ids[0]!], now);
const { changes, transitions } = index.decay(now + 40 * DAY);
console.log(
  "in forty days:",
  transitions.map(({ id, from, to }) => `${id} ${from} → ${to}`).join(", "),
);
index.applyDecay(changes);

// The whole index as bytes, and back.
const copy = MemoryIndex.restore(index.snapshot());
console.log("restored:", copy.size, "memories");
index.free();
copy.free();
