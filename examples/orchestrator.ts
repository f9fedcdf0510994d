// Answers a compound question in several passes over a search of your own.

import { createOrchestrator, MemoryIndex } from "nous-wasm";

const rows = [
  { id: "n1", subtype: "custom:thesis", content_title: "Billing thesis: usage based pricing wins" },
  { id: "n2", subtype: "custom:turn_summary", content_title: "Last search outage was a full disk" },
  { id: "n3", subtype: "custom:lesson", content_title: "Alert on disk space at 80 percent" },
  { id: "n4", subtype: "custom:turn_summary", content_title: "Lunch is at noon" },
  { id: "n5", subtype: "custom:lesson", content_title: "Reviews are quicker in the morning" },
];
const byId = new Map(rows.map((row) => [row.id, row]));
const index = new MemoryIndex();
index.upsert(rows.map((row) => ({ ...row, title: row.content_title })));

const orchestrator = createOrchestrator({
  search: (query, { limit, now }) =>
    index.ask(query, { limit, now }).map(({ id, score }) => ({ ...byId.get(id)!, score })),
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
