// The page explains a rank as the server does.

import { loadEmbedderSync } from "nous-embedder";
import { expect, test } from "vitest";
import { reasonsOf } from "../../../js/page/src/memory/ask.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, noRows } from "../../../js/page/src/memory/lines.ts";
import { aboutSubject } from "../../../js/page/src/memory/words-of-asking.ts";
import { day, explainingAgent, MEMORIES, memory } from "../../server/support/explaining-agent.ts";

const OF_PAGE = [...MEMORIES, memory("labels", "01-12", "…", { subtype: null, tags: ["a"] })];

test("page and server explain alike", async () => {
  const now = Date.parse(day("03-01"));
  const embedder = loadEmbedderSync();
  const { lines, explain } = await explainingAgent(
    {
      memories: OF_PAGE,
      edges: [{ source_id: "porto", target_id: "lisbon", type: "supersedes" }],
    },
    { now, builtIn: embedder },
  );
  const rows = noRows();
  for (const line of lines) addLine(rows, line);
  const opening = { name: "", rows, now, config: {}, words: embedder, wrong: [], wrongCount: 0 };
  const held = await Held.open({ ...opening, source: "files" }, () => {});
  const ids = OF_PAGE.map(({ id }) => id);
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
      // The page leaves out words by which a question asks, such as "about".
      expect(aboutSubject(words)).toEqual(here.words.map(({ spans: _, ...word }) => word));
      const { title, text } = held.card(id);
      const marked = here.passage.map(({ field, start, end }) =>
        (field === "title" ? title : text).slice(start, end),
      );
      expect(passage ?? "").toBe(marked.join("\n"));
    }
  }
  held.free();
});
