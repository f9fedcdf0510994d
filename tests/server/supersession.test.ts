// A superseded memory leaves every prompt, whatever its type; lines of corrections keep their order when
// one of them is deleted or expires, and when a value comes back.

import { GENERAL, Memory, promptOfTurn, remember, TRADING } from "nous-memory";
import { describe, expect, test } from "vitest";
import { expire, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const COLOURS = ["amber", "teal", "umber", "violet"];
const textOf = (colour: string) => `The gate of Ada's yard is painted in ${colour}.`;

type Own = ReturnType<typeof client>;

/** Stores a memory for each colour, of which each supersedes the one before. Returns their ids. */
async function lineOf(
  own: Own,
  colours: readonly string[],
  fields: object = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (const colour of colours) {
    const { body } = await own.ask("POST /nodes", {
      ...{ type: "fact", content_title: textOf(colour), ...fields },
    });
    if (ids.length > 0) await own.link(body.id, ids.at(-1)!, "supersedes");
    ids.push(body.id);
  }
  return ids;
}

/** Returns the colours that the prompts of a turn about the gate, and of another one, show. */
async function shown(own: Own, filter?: object): Promise<string[]> {
  const prompts: string[] = [];
  for (const input of ["In which colour is the gate painted?", "What is new in Bergen?"]) {
    const { status, body } = await own.ask("POST /context", { input, filter });
    expect(status).toBe(200);
    prompts.push(body.prompt);
  }
  return COLOURS.filter((colour) => prompts.some((prompt) => prompt.includes(colour)));
}

describe("a superseded memory", () => {
  test.each(Object.keys(GENERAL.types))("of the type %s is in no prompt", async (type) => {
    const own = client();
    await lineOf(own, ["amber", "teal"], { type });
    expect(await shown(own)).toEqual(["teal"]);
    const { body } = await own.ask("POST /context", { input: "What is the colour of the gate?" });
    const reasons = body.left_out.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toContain("superseded");
  });

  test.each([...Object.keys(GENERAL.types), ...Object.keys(TRADING.types)])(
    "of the type %s is in no prompt of a process",
    (type) => {
      const memory = new Memory();
      const [older, newer] = ["amber", "teal"].map(
        (colour) => remember(memory, { text: textOf(colour), type: type as string }).stored[0]!.id,
      ) as [string, string];
      memory.link([{ id: "e", type: "supersedes", source_id: newer, target_id: older }]);
      for (const input of ["In which colour is the gate painted?", "What is new in Bergen?"])
        expect(promptOfTurn(memory, { input }).prompt).not.toContain("amber");
      memory.free();
    },
  );

  test("is in a prompt of a filter that its successor does not pass", async () => {
    const own = client();
    const [older] = await lineOf(own, ["amber"], { type: "preference", user: "ada" });
    const { id } = await own.create({
      ...{ type: "preference", content_title: textOf("teal"), content_body: null, user: "ben" },
      subtype: undefined,
    });
    await own.link(id, older!, "supersedes");
    expect(await shown(own, { user: "ada" })).toEqual(["amber"]);
    expect(await shown(own)).toEqual(["teal"]);
  });
});

describe("a line of corrections", () => {
  test.each(["preference", "fact"])("of the type %s ends with its newest", async (type) => {
    const own = client();
    const [, second, third, last] = await lineOf(own, COLOURS, { type });
    expect(await shown(own)).toEqual(["violet"]);
    // One in the middle is deleted: what it replaced does not come back.
    expect((await own.ask(`DELETE /nodes/${second}`)).status).toBe(200);
    expect(await shown(own)).toEqual(["violet"]);
    expect((await own.ask(`DELETE /nodes/${third}`)).status).toBe(200);
    expect(await shown(own)).toEqual(["violet"]);
    // The newest is deleted: the one before it holds again.
    expect((await own.ask(`DELETE /nodes/${last}`)).status).toBe(200);
    expect(await shown(own)).toEqual(["amber"]);
  });

  test.each([
    ["is deleted", (own: Own, id: string) => own.ask(`DELETE /nodes/${id}`)],
    [
      "is deleted by a filter",
      (own: Own) => own.ask("POST /nodes/delete", { filter: { tags: { any: ["teal"] } } }),
    ],
    ["is purged", (own: Own, id: string) => own.ask(`POST /nodes/${id}/purge`)],
    ["expires", expire],
  ] as const)("goes on over a memory that %s, in whatever order it was linked", async (_, end) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const own = client();
      const ids: string[] = [];
      for (const colour of COLOURS.slice(0, 3))
        ids.push(...(await lineOf(own, [colour], { tags: [colour] })));
      for (const place of order) await own.link(ids[place + 1]!, ids[place]!, "supersedes");
      await end(own, ids[1]!);
      expect((await own.ask(`GET /nodes/${ids[1]}`)).status).toBe(404);
      expect(await shown(own)).toEqual(["umber"]);
    }
  });

  test("that goes round in a circle loses any memory, and holds the one that held", async () => {
    for (const [gone, held] of [
      ["amber", "umber"],
      ["teal", "amber"],
      ["umber", "amber"],
    ]) {
      const own = client();
      const ids = await lineOf(own, COLOURS.slice(0, 3));
      await own.link(ids[0]!, ids[2]!, "supersedes");
      await own.ask(`DELETE /nodes/${ids[COLOURS.indexOf(gone!)]}`);
      expect(await shown(own)).toEqual([held]);
    }
  });

  test("that goes round in a circle ends with the memory whose edge came last", async () => {
    const own = client();
    const [first, second, third] = await lineOf(own, COLOURS.slice(0, 3), { type: "preference" });
    await own.link(first!, third!, "supersedes");
    expect(await shown(own)).toEqual(["amber"]);
    await own.link(second!, first!, "supersedes");
    expect(await shown(own)).toEqual(["teal"]);
  });
});
