// The page explains a rank as the server does.

import { loadEmbedderSync } from "nous-embedder";
import { expect, test } from "vitest";
import { reasonsOf } from "../../../js/page/src/memory/ask.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, noRows } from "../../../js/page/src/memory/lines.ts";
import { explainingAgent } from "../../server/support/explaining-agent.ts";

const day = (date: string) => `2026-${date}T09:00:00.000Z`;
const memory = (id: string, created: string, content_title: string, fields: object = {}) => ({
  ...{ id, type: "note", subtype: "custom:lesson", created_at: day(created) },
  ...{ content_title, content_body: null, ...fields },
});
const MEMORIES = [
  memory("deploys", "01-05", "Deploys on Friday fail more often", {
    content_body: "Three of four rollbacks of this year were deploys on a Friday.",
    user: "mira",
    tags: ["billing"],
  }),
  memory("tea", "01-07", "Mira prefers tea", { user: "mira" }),
  memory("lisbon", "01-09", "Mira moved to Lisbon", { metadata: { place: "flat" } }),
  memory("porto", "02-09", "Mira moved to Porto", { user: "mira", metadata: { place: "flat" } }),
  memory("salary", "01-11", "The salary is paid on the 25th"),
  memory("labels", "01-12", "…", { subtype: null, tags: ["a"] }),
];

test("page and server explain alike", async () => {
  const now = Date.parse(day("03-01"));
  const embedder = loadEmbedderSync();
  const { lines, explain } = await explainingAgent(
    {
      memories: MEMORIES,
      edges: [{ source_id: "porto", target_id: "lisbon", type: "supersedes" }],
    },
    { now, builtIn: embedder },
  );
  const rows = noRows();
  for (const line of lines) addLine(rows, line);
  const opening = { name: "", rows, now, config: {}, words: embedder, wrong: [], wrongCount: 0 };
  const held = await Held.open({ ...opening, source: "files" }, () => {});
  const ids = MEMORIES.map(({ id }) => id);
  for (const query of [
    "Why do deploys on Friday fail?",
    "Where did Mira move?",
    "the last lesson about billing since 2025",
    "When is the money paid?",
    "xylophone",
  ]) {
    const { data } = await explain(query, ids);
    for (const { id, rank, score, sum, scale, offset, evidence, words, passage } of data) {
      const here = reasonsOf(held, id, query);
      expect({ rank, score, sum, scale, offset }, `${id} ${query}`).toEqual({
        ...{ rank: here.rank, score: here.score, sum: here.sum },
        ...{ scale: here.scale, offset: here.offset },
      });
      const byName = (some: readonly { name: string }[]) =>
        some.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      expect(byName(evidence)).toEqual(byName(here.evidence));
      expect(words).toEqual(here.words.map(({ spans: _, ...word }) => word));
      const { title, text } = held.card(id);
      const marked = here.passage.map(({ field, start, end }) =>
        (field === "title" ? title : text).slice(start, end),
      );
      expect(passage ?? "").toBe(marked.join("\n"));
    }
  }
  held.free();
});
