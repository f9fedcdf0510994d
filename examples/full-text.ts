// Finds memories by words, in any script, and ranks them.

import { MemoryIndex, TextIndex, understand } from "nous-wasm";

const memories = [
  {
    id: "m1",
    title: "Deploys on Friday fail more often",
    body: "Three of four rollbacks this year.",
  },
  { id: "m2", title: "Billing moves to Postgres 17", body: "Mira wants it by April." },
  { id: "m3", title: "東京のサーバーは火曜日に更新する", body: "" },
  { id: "m4", title: "Lunch is at noon", body: "" },
];
const texts = new TextIndex();
const index = new MemoryIndex();
texts.upsert(memories);
index.upsert(memories.map(({ id }) => ({ id, subtype: "custom:lesson" })));

for (const question of [
  "why do Friday deploys fail?",
  "what moves to Postgres?",
  "火曜日に何をする",
]) {
  const { terms } = understand(question, { terms: "unicode" });
  const hits = texts.search(terms, { limit: 45 });
  console.log(question, "→", index.search({ bm25: hits, limit: 1 }).ranking.ids.join());
}
texts.free();
index.free();
