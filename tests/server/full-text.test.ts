// Full text in memory: it equals the database's own, whichever program writes.

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { search } from "../../js/server/src/agent/search/search.ts";
import { searchRequest } from "../../js/server/src/api/search.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { runs } from "../support/amount.ts";
import { makeExisting, raw } from "./support/existing-database.ts";
import { type Client, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const shared = sharedServer();

/** A client whose searches rank by signals, which read the full text. */
function client(): Client {
  const own = shared.client();
  return {
    ...own,
    search: (query, fields = {}) => own.search(query, { ranking: "signals", ...fields }),
  };
}

/**
 * An agent, another program's connection to its database, and the ids that a question's terms find.
 */
function opened({ file = join(temporaryFolder(), "a.db") } = {}) {
  const storage = new SqliteStorage(file, { durability: "normal" });
  const agent = new Agent(storage, { ranking: "signals" });
  agent.open();
  const found = (...terms: string[]) =>
    agent.read(() => agent.texts.search(terms).map(({ id }) => id));
  return { agent, other: raw(file), found };
}

describe("the full text", () => {
  test("finds a new memory by its unique word as soon as it is acknowledged", async () => {
    const agent = client();
    for (let turn = 0; turn < 20; turn++) {
      const { body } = await agent.ask("POST /nodes", {
        ...LESSON,
        content_body: `lesson of zebra${turn}x`,
      });
      expect(await agent.search(`zebra${turn}x`)).toEqual([body.id]);
      await agent.ask(`PATCH /nodes/${body.id}`, { content_body: `lesson of quagga${turn}x` });
      expect(await agent.search(`zebra${turn}x`)).toEqual([]);
      expect(await agent.search(`quagga${turn}x`)).toEqual([body.id]);
      if (turn % 2 === 0) await agent.ask(`DELETE /nodes/${body.id}`);
      expect(await agent.search(`quagga${turn}x`)).toEqual(turn % 2 === 0 ? [] : [body.id]);
    }
  });

  test("finds another program's writes in the next search", () => {
    const file = join(temporaryFolder(), "a.db");
    makeExisting(file);
    const { other, found } = opened({ file });
    expect(found("extremes")).toEqual(["n_a"]);
    other.exec("UPDATE nodes SET content_title = 'Perpetual swaps' WHERE id = 'n_a'");
    expect(found("swaps")).toEqual(["n_a"]);
    other.exec("PRAGMA recursive_triggers = ON");
    other.exec(
      "REPLACE INTO nodes (rowid, id, type, content_title) VALUES (3, 'n_a', 'note', 'Anew')",
    );
    expect([found("swaps"), found("anew")]).toEqual([[], ["n_a"]]);
    other.exec("PRAGMA foreign_keys = OFF");
    other.exec("UPDATE nodes SET id = 'n_z' WHERE id = 'n_b'");
    other.exec("DELETE FROM nodes WHERE id = 'n_a'");
    other.exec("UPDATE nodes SET content_body = 'Anew, too' WHERE id = 'n_z'");
    expect(found("anew")).toEqual(["n_z"]);
  });

  test("returns equal scores in the order of the rows, in whatever order they were written", () => {
    const { other, found } = opened();
    const add = other.prepare("INSERT INTO nodes (id, type, content_title) VALUES (?, 'note', ?)");
    other.exec("BEGIN");
    for (const id of ["n_3", "n_1", "n_2"]) add.run(id, "Gold");
    for (let place = 0; place < 10; place++) add.run(`n_other_${place}`, "Silver");
    other.exec("COMMIT");
    expect(found("gold")).toEqual(["n_3", "n_1", "n_2"]);
  });

  test("rebuilds an index that cannot apply a write", () => {
    const { agent, other, found } = opened();
    other.exec("INSERT INTO nodes (id, type, content_title) VALUES ('n_1', 'note', 'Gold')");
    expect(found("gold")).toEqual(["n_1"]);
    agent.texts.free();
    other.exec("INSERT INTO nodes (id, type, content_title) VALUES ('n_2', 'note', 'Gold')");
    expect(found("gold")).toEqual(["n_1", "n_2"]);
  });
});

describe("the full text equals the database's", () => {
  const WORDS = "basis gold funding squeeze breakout friday carry roll perp delta hedge skew".split(
    " ",
  );

  test("in ids and in scores, after many changes", () => {
    const { agent, other } = opened();
    // Twelve words, of which a text holds four: each is in about a third of the texts.
    const text = (seed: number) =>
      [1, 5, 7, 11].map((step) => WORDS[(seed * step + step) % WORDS.length]).join(" ");
    const put = other.prepare(
      "INSERT INTO nodes (id, type, content_title, content_body) VALUES (?, 'note', ?, ?)",
    );
    for (let place = 0; place < 200; place++)
      put.run(`n_${place}`, text(place), place % 3 === 0 ? text(place + 4) : null);
    for (let place = 0; place < 200; place += 7) {
      other.exec(
        `UPDATE nodes SET content_summary = '${text(place + 5)} tail${place}' WHERE id = 'n_${place}'`,
      );
      other.exec(`DELETE FROM nodes WHERE id = 'n_${place + 1}'`);
    }
    let compared = 0;
    for (const terms of [...WORDS.map((word) => [word]), ["tail", "gold"], ["bas", "squeeze"]]) {
      const expected = other
        .prepare(
          `SELECT nodes.id AS id, -bm25(nodes_fts) AS score FROM nodes_fts JOIN nodes ON nodes.rowid = nodes_fts.rowid
           WHERE nodes_fts MATCH ? ORDER BY score DESC, nodes.rowid`,
        )
        .all(terms.map((term) => `"${term}"*`).join(" OR ")) as { id: string; score: number }[];
      const hits = agent.read(() => agent.texts.search(terms, { limit: Number.POSITIVE_INFINITY }));
      expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      for (const [place, { score }] of hits.entries())
        expect(score).toBeCloseTo(expected[place]!.score, 9);
      compared += hits.length;
    }
    expect(compared).toBeGreaterThan(500);
  });
});

describe("a question", () => {
  test("drops stop words if it has others", async () => {
    const agent = client();
    const ids: string[] = [];
    for (const body of ["the gold that we had", "what was it to them", "the silver and the tin"]) {
      ids.push(
        (await agent.ask("POST /nodes", { ...LESSON, content_title: "Note", content_body: body }))
          .body.id,
      );
    }
    expect(await agent.search("what was the gold to them?")).toEqual([ids[0]]);
    expect(await agent.search("what was it to them?")).toContain(ids[1]);
  });

  test("may contain operators and quotes", async () => {
    const agent = client();
    const { body } = await agent.ask("POST /nodes", {
      ...LESSON,
      content_body: 'near "or" not a column:filter',
    });
    for (const query of ["OR", 'NEAR("a" b)', '"', "a*b", "col:filter", "(", "^a", "-", "\u0301"]) {
      expect((await agent.ask("POST /search", { query })).status).toBe(200);
    }
    expect(await agent.search('column:"filt')).toEqual([body.id]);
  });

  test("consists of its words, with any operators and quotes among them", async () => {
    const { agent, other } = opened();
    const words = "gold near silver not tin title content_body carry roll".split(" ");
    const add = other.prepare(
      "INSERT INTO nodes (id, type, content_title, content_body) VALUES (?, 'note', ?, ?)",
    );
    for (let place = 0; place < 60; place++) {
      const [one, two, three] = [1, 3, 7].map(
        (step) => words[(place * step + step) % words.length],
      );
      add.run(`n_${place}`, `${one} ${two}`, place % 2 === 0 ? `other text of ${three}` : null);
    }
    const now = Date.now();
    const found = (query: string) =>
      agent.read(() =>
        search(
          agent,
          searchRequest.parse({ query, limit: 100, ranking: "signals" }),
          undefined,
          now,
        ),
      ).data;
    const operators = ["AND", "OR", "NOT", "NEAR"];
    const word = fc.constantFrom(...words, ...operators);
    const before = fc.constantFrom(
      "",
      '"',
      '""',
      "(",
      "((",
      "^",
      "-",
      "+",
      "{",
      "* ",
      ": ",
      "/",
      "'",
    );
    const after = fc.constantFrom(
      "",
      '"',
      '""',
      ")",
      "*",
      " *",
      ":",
      " :",
      "}",
      "^",
      ",",
      ";",
      '" "',
      "'",
    );
    const decorated = fc.array(fc.tuple(before, word, after), { minLength: 1, maxLength: 6 });
    let max = 0;
    const same = fc.asyncProperty(decorated, async (parts) => {
      // Connections of other tests are closed meanwhile, which must be noticed.
      await setImmediate();
      const plain = parts.map(([, word]) => word.toLowerCase()).join(" ");
      const expected = found(plain);
      max = Math.max(max, expected.length);
      expect(found(parts.map((part) => part.join("")).join(" "))).toEqual(expected);
    });
    await fc.assert(same, runs(300));
    expect(max).toBeGreaterThan(10);
  });

  test("of twenty thousand terms is read as far as one of thirty-two", () => {
    const { agent, other, found } = opened();
    other.exec(
      "INSERT INTO nodes (id, type, content_title) VALUES ('n_1', 'note', 'w31x'), ('n_2', 'note', 'w32x')",
    );
    const words = Array.from({ length: 20_000 }, (_, place) => `w${place}x`);
    const reads = new Set<string>();
    const watched = new Proxy(words, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) reads.add(key);
        return Reflect.get(target, key);
      },
    });
    // Half of the terms that are read may be stop words.
    expect(agent.read(() => agent.texts.search(watched)).map(({ id }) => id)).toEqual(["n_1"]);
    expect(reads.size).toBe(64);
    expect(found(...words.slice(0, 32))).toEqual(["n_1"]);
    expect(found(...words.slice(32))).toEqual(["n_2"]);
  });

  test("of maximum length costs the full text no more than a short one", async () => {
    const agent = client();
    const texts = Array.from(
      { length: 100 },
      (_, place) => `word${place % 40} word${(place * 7) % 40} 黄金突破失败`,
    );
    await agent.ask("POST /nodes/batch", {
      items: texts.map((content_body) => ({ ...LESSON, content_body })),
    });
    /** The median time of the full text by the server's own clock, in milliseconds. */
    const spent = async (query: string) => {
      const times: number[] = [];
      for (let turn = 0; turn < 15; turn++) {
        times.push(
          (await agent.ask("POST /search", { query, ranking: "signals" })).body.metrics
            .hybrid_seeding_ms,
        );
      }
      return times.sort((a, b) => a - b)[7]!;
    };
    const short = await spent(Array.from({ length: 32 }, (_, place) => `word${place}`).join(" "));
    const words = Array.from({ length: 1_100 }, (_, place) => `word${place}`).join(" ");
    for (const long of [words, "黄金突破失败".repeat(1_600)])
      expect(await spent(long)).toBeLessThan(10 * short + 5);
  });

  test("finds text of scripts without spaces", async () => {
    const agent = client();
    const { body } = await agent.ask("POST /nodes", { ...LESSON, content_body: "黄金突破失败" });
    await agent.ask("POST /nodes", { ...LESSON, content_body: "白银上涨" });
    expect(await agent.search("突破")).toEqual([body.id]);
  });

  test("finds only the memories that a filter lets pass", async () => {
    const agent = client();
    const make = async (subtype: string | null) =>
      (await agent.ask("POST /nodes", { ...LESSON, subtype, content_title: "Gold" })).body
        .id as string;
    const [lesson, signal] = [await make("custom:lesson"), await make("custom:signal")];
    // As many of another subtype as requested, which must not crowd it out.
    for (let more = 0; more < 70; more++) await make("custom:signal");
    expect(await agent.search("gold", { subtype: "custom:lesson" })).toEqual([lesson]);
    expect(await agent.search("gold", { subtype: "custom:signal", limit: 100 })).toContain(signal);
    expect(await agent.search("gold", { subtype: "custom:other" })).toEqual([]);
  });
});
