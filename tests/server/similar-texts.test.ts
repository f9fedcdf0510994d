// Detection of memories that repeat a text.

import { describe, expect, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { ask } from "./support/direct-agent.ts";
import { directStores } from "./support/direct-store.ts";
import { sharedServer } from "./support/shared-server.ts";

const newStore = directStores();

const { client } = sharedServer();
const SUBTYPE = "custom:lesson";

/** A vector with this cosine to (1, 0, …), over its first two components. */
const at = (cosine: number, rest: readonly number[] = []) => [
  cosine,
  Math.sqrt(1 - cosine * cosine),
  ...rest,
];

async function check({ ask }: ReturnType<typeof client>, body: object) {
  const answer = await ask("POST /nodes/check-similar", {
    title: "T",
    content: "C",
    subtype: SUBTYPE,
    ...body,
  });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

describe("by vectors", () => {
  test("a text is a duplicate from 0.95 on, and is to be connected from 0.90 on, best first", async () => {
    const one = client();
    const ids: Record<string, string> = {};
    for (const [title, cosine] of [
      ["near", 0.94],
      ["far", 0.89],
      ["same", 0.96],
      ["nearer", 0.949],
    ] as const) {
      ids[title] = (await one.create({ content_title: title, embedding: at(cosine) })).id;
    }
    const { matches, ...rest } = await check(one, { embedding: [3, 0] });
    expect(rest).toEqual({ recommendation: "duplicate_found", basis: "vectors" });
    expect(matches).toEqual([
      {
        node_id: ids.same,
        title: "same",
        similarity: 0.96,
        action: "duplicate",
        lifecycle: "ACTIVE",
      },
      {
        node_id: ids.nearer,
        title: "nearer",
        similarity: 0.949,
        action: "connect",
        lifecycle: "ACTIVE",
      },
      {
        node_id: ids.near,
        title: "near",
        similarity: 0.94,
        action: "connect",
        lifecycle: "ACTIVE",
      },
    ]);
    expect((await check(one, { embedding: [3, 0], limit: 1 })).matches).toHaveLength(1);
    expect(
      await check(one, { embedding: at(0.95).map((it, place) => (place === 1 ? -it : it)) }),
    ).toMatchObject({
      matches: [],
      recommendation: "unique",
    });
  });

  test("a similar memory is distinguished from a duplicate", async () => {
    const one = client();
    await one.create({ embedding: at(0.92) });
    expect(await check(one, { embedding: [1, 0] })).toMatchObject({
      recommendation: "similar_found",
    });
  });

  test("only the first 512 components count, normalized by themselves", async () => {
    const one = client();
    const tail = (value: number) => [
      ...new Array<number>(510).fill(0),
      ...new Array<number>(88).fill(value),
    ];
    await one.create({ embedding: at(0.97, tail(5)) });
    const { matches } = await check(one, { embedding: [1, 0, ...tail(-5)] });
    expect(matches).toMatchObject([{ similarity: 0.97, action: "duplicate" }]);
  });

  test("memories of another subtype are ignored, unless no subtype is named", async () => {
    const one = client();
    const { id } = await one.create({ subtype: "custom:curiosity", embedding: [1, 0] });
    expect((await check(one, { embedding: [1, 0] })).matches).toEqual([]);
    for (const subtype of ["custom:curiosity", null]) {
      expect((await check(one, { embedding: [1, 0], subtype })).matches).toMatchObject([
        { node_id: id },
      ]);
    }
  });

  test("a vector of another length is refused", async () => {
    const one = client();
    await one.create({ embedding: [1, 0] });
    const answer = await one.ask("POST /nodes/check-similar", {
      content: "C",
      embedding: [1, 0, 0],
    });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "embedding" }] } });
  });
});

/** Texts are compared by vectors of the server's own unless it makes none. */
const withoutVectors = sharedServer(["--embeddings-provider", "none"]);

describe("by words", () => {
  const { client } = withoutVectors;

  const CONTENT = "funding squeezes often reverse within eight hours after the peak";

  test("the share of common words decides", async () => {
    const one = client();
    const { id } = await one.create({ content_title: "Funding", content_body: CONTENT });
    await one.create({
      content_title: "Liquidity",
      content_body: "thin books move prices quickly during holidays",
    });
    expect(await check(one, { title: "funding!", content: CONTENT.toUpperCase() })).toEqual({
      matches: [
        { node_id: id, title: "Funding", similarity: 1, action: "duplicate", lifecycle: "ACTIVE" },
      ],
      recommendation: "duplicate_found",
      basis: "words",
    });
    const changed = CONTENT.replace("peak", "open");
    expect(await check(one, { title: "Funding", content: changed })).toMatchObject({
      matches: [{ node_id: id, action: "connect" }],
      recommendation: "similar_found",
    });
    expect(await check(one, { content: "volatility clusters around announcements" })).toEqual({
      matches: [],
      recommendation: "unique",
      basis: "words",
    });
  });

  test("an empty memory has no similar memories", async () => {
    expect(await check(client(), {})).toEqual({
      matches: [],
      recommendation: "unique",
      basis: "words",
    });
  });

  test.each([
    ["few words", "hello there ".repeat(80_000)],
    ["one word", "x".repeat(900_000)],
    ["a script without spaces", "\u8bed".repeat(300_000)],
  ])(
    "a long text of %s is not searched for all of its terms, and its memory is found",
    async (_, content) => {
      const agent = new Agent((await newStore()).open());
      await ask(agent, "createNode", {
        body: { type: "note", content_title: "T", content_body: content, id: "n_long" },
      });
      await ask(agent, "createNode", {
        body: { type: "note", content_title: "Short", id: "n_short" },
      });
      const read = vi.spyOn(agent.engine, "understand");
      const { matches } = await ask(agent, "checkSimilar", { body: { title: "T", content } });
      expect(matches).toMatchObject([{ node_id: "n_long", action: "duplicate" }]);
      expect(read.mock.calls.reduce((sum, [text]) => sum + text.length, 0)).toBeLessThan(
        (content.length / 4) * 3,
      );
      agent.close();
    },
  );
});
