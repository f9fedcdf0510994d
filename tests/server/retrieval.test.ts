// Retrieval in several passes, and the edges between memories that are recalled together.

import { describe, expect, test } from "vitest";
import * as api from "../../js/server/src/api/retrieval.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const QUESTION = "What's my BTC thesis and how did my last SOL trade go?";

/** Memories of different days are no conversation, in which each speaks for the others. */
const day = (date: number) => `2026-01-0${date}T00:00:00Z`;

/**
 * A thesis and a trade about BTC, linked to each other, another trade, linked to the first, and a
 * memory about neither.
 */
async function trader() {
  const own = client();
  const thesis = await own.create({
    subtype: "custom:thesis",
    content_title: "BTC thesis: dips are bought",
    created_at: day(1),
  });
  const lesson = await own.create({
    content_title: "BTC thesis of last year failed",
    created_at: day(2),
  });
  const trade = await own.create({
    subtype: "custom:trade_close",
    content_title: "SOL trade closed at +4%",
    created_at: day(3),
  });
  const other = await own.create({ content_title: "Weather in Lisbon", created_at: day(4) });
  const within = await own.link(thesis.id, lesson.id, "relates_to");
  const across = await own.link(thesis.id, trade.id, "relates_to");
  return { own, thesis, lesson, trade, other, within, across };
}

const retrieve = async (by: Client, body: object) => {
  const { status, body: answer } = await by.ask("POST /retrieve", body);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
};
const strengthOf = async (by: Client, { id, source_id }: { id: string; source_id: string }) => {
  const { body } = await by.ask(`GET /edges?node_id=${source_id}`);
  return body.data.find((edge: { id: string }) => edge.id === id).strength;
};

describe("POST /retrieve", () => {
  test("searches for each part of a question, and reports the parts", async () => {
    const { own, thesis, trade, other } = await trader();
    const answer = await retrieve(own, { query: QUESTION });
    expect(api.retrievalAnswer.strict().parse(answer)).toEqual(answer);
    const ids = answer.data.map(({ id }: { id: string }) => id);
    expect(ids).toContain(thesis.id);
    expect(ids).toContain(trade.id);
    // The time of a memory may be evidence, too: what shares no word comes last, if at all.
    expect([ids.length - 1, -1]).toContain(ids.indexOf(other.id));
    expect(answer.count).toBe(ids.length);
    expect(answer.trace).toMatchObject({ query: QUESTION, mode: "parts" });
    expect(answer.trace.parts.map(({ query }: { query: string }) => query)).toEqual([
      "What's my BTC thesis",
      "how did my last SOL trade go?",
    ]);
    for (const [group, ids] of answer.groups.entries()) {
      for (const id of ids) {
        expect(answer.data).toContainEqual(
          expect.objectContaining({ id, _sub_query_group: group }),
        );
      }
    }
    expect((await retrieve(client(), { query: QUESTION })).data).toEqual([]);
  });

  test("applies filters in every pass", async () => {
    const { own, thesis, lesson } = await trader();
    const ids = async (body: object) =>
      (await retrieve(own, { query: "BTC thesis", ...body })).data.map(
        ({ id }: { id: string }) => id,
      );
    expect((await ids({})).sort()).toEqual([thesis.id, lesson.id].sort());
    expect(await ids({ subtype: "custom:thesis" })).toEqual([thesis.id]);
    expect(await ids({ type: "episode" })).toEqual([]);
    expect(await ids({ time_range: { end: "2020-01-01T00:00:00Z" } })).toEqual([]);
  });

  test("counts an access of each result, once", async () => {
    const { own, thesis } = await trader();
    const answer = await retrieve(own, { query: QUESTION, type: "concept" });
    expect(answer.data.map(({ id }: { id: string }) => id)).toContain(thesis.id);
    const missed = await own.create({ type: "episode", content_title: "BTC thesis: a new trade" });
    await retrieve(own, { query: QUESTION, type: "concept", recall: "none" });
    const countOf = async (id: string) =>
      (await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count;
    expect([await countOf(thesis.id), await countOf(missed.id)]).toEqual([1, 0]);
  });

  test("strengthens edges between the memories of one part, and no others", async () => {
    const { own, within, across } = await trader();
    await retrieve(own, { query: QUESTION });
    expect(await strengthOf(own, within)).toBeCloseTo(0.53, 10);
    await retrieve(own, { query: QUESTION, recall: "none" });
    await retrieve(own, { query: QUESTION, recall: "explicit" });
    expect(await strengthOf(own, within)).toBeCloseTo(0.58, 10);
    expect(await strengthOf(own, across)).toBe(0.5);
    await own.ask(`POST /edges/${within.id}/strengthen`, { amount: 0.415 });
    await retrieve(own, { query: QUESTION });
    await retrieve(own, { query: QUESTION });
    expect(await strengthOf(own, within)).toBe(1);
  });

  test("takes a vector of the whole question, of the right length", async () => {
    const own = client();
    const near = await own.create({ content_title: "Perpetuals", embedding: [1, 0, 0] });
    await own.create({ content_title: "Gardens", embedding: [0, 1, 0] });
    const { data } = await retrieve(own, { query: "basis", embedding: [1, 0.1, 0] });
    expect(data.map(({ id }: { id: string }) => id)).toEqual([near.id]);
    for (const query of ["basis", QUESTION]) {
      const { status, body } = await own.ask("POST /retrieve", { query, embedding: [1, 0] });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { issues: [{ path: "embedding" }] },
      });
    }
  });
});

describe("POST /context/lines", () => {
  test("returns a line for each memory, best first, within a budget", async () => {
    const { own, thesis } = await trader();
    const { body } = await own.ask("POST /context/lines", { query: "BTC thesis" });
    expect(api.linesAnswer.strict().parse(body).ids).toContain(thesis.id);
    const lines = body.text.split("\n");
    expect(lines).toHaveLength(body.ids.length);
    expect(lines).toContain(
      "- [thesis · KNOWLEDGE] BTC thesis: dips are bought (2026-01-01): Extremes revert",
    );
    expect(
      (await own.ask("POST /context/lines", { query: "BTC thesis", max_tokens: 25 })).body.text,
    ).toBe(lines[0]);
    expect(
      (await own.ask("POST /context/lines", { query: "BTC thesis", max_tokens: 0 })).body.text,
    ).toBeNull();
    expect((await own.ask("POST /context/lines", { query: "zebras" })).body).toEqual({
      text: null,
      ids: [],
    });
  });
});
