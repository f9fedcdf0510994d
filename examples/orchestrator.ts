// Answers a compound question in several passes over a search of your own.

import { createOrchestrator, MemoryIndex, TextIndex, understand } from "nous-wasm";

const rows = [
  { id: "n1", subtype: "custom:thesis", content_title: "Billing thesis: usage based pricing wins" },
  { id: "n2", subtype: "custom:turn_summary", content_title: "Last search outage was a full disk" },
  { id: "n3", subtype: "custom:lesson", content_title: "Alert on disk space at 80 percent" },
  { id: "n4", subtype: "custom:turn_summary", content_title: "Lunch is at noon" },
  { id: "n5", subtype: "custom:lesson", content_title: "Reviews are quicker in the morning" },
];
const byId = new Map(rows.map((row) => [row.id, row]));
const texts = new TextIndex();
const index = new MemoryIndex();
texts.upsert(rows.map(({ id, content_title }) => ({ id, title: content_title })));
index.upsert(rows);

const orchestrator = createOrchestrator({
  search: async (query, { limit, now }) => {
    const { terms } = understand(query, { terms: "unicode" });
    const { ranking } = index.search({ bm25: texts.search(terms), limit, now });
    return ranking.ids.map((id, place) => ({ ...byId.get(id)!, score: ranking.scores[place]! }));
  },
});

const question = "What's my billing thesis and what was the last search outage?";
const { nodes, groups, trace } = await orchestrator.retrieve(question);
for (const { query, results, retry } of trace.parts) {
  console.log(
    `part “${query}”: ${results} found${retry ? `, asked again as “${retry.query}”` : ""}`,
  );
}
for (const { content_title, score } of nodes) console.log(score.toFixed(3), content_title);
// Memories that were recalled together get stronger edges.
index.strengthen(groups, 0.03);
