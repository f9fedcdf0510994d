// Instants as text, as dates and as numbers: every valid spelling is read, every invalid one is
// refused.

import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import {
  checkDefaultResults,
  DAY,
  defaultEpisodes,
  expectRefusal,
  expectSame,
  metrics,
  node,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("instants", () => {
  const MOMENT = Date.UTC(2026, 0, 5, 22, 30);
  /** Texts of that instant; those without a zone mean UTC. */
  const TEXTS = [
    ...[
      "2026-01-05T22:30:00.000Z",
      "2026-01-05T22:30:00Z",
      "2026-01-05T22:30Z",
      "2026-01-05t22:30:00z",
    ],
    ...[
      "2026-01-05T22:30:00",
      "2026-01-05T22:30",
      "2026-01-05 22:30",
      "2026-01-05 22:30:00.000000",
      "2026-01-05t22:30",
    ],
    ...[
      "2026-01-05T17:30:00-05:00",
      "2026-01-06T04:00+05:30",
      "2026-01-06 00:30:00+02",
      "2026-01-06T00:30:00+0200",
    ],
    ...["+002026-01-05T22:30:00", "2026-01-05 22:30:00Z", "2026-01-05 22:30:00 Z"],
  ];
  const DATES = ["2026-01-05", "2026-01-05T00:00", "2026-01-05T00:00:00.000Z"];

  test("as text follow ISO 8601, and are UTC without a zone", () => {
    const now = MOMENT + 100 * DAY;
    for (const text of TEXTS)
      expect(nous.recencyScore(text, now - 1), text).toBe(Math.exp(-99 / 30));
    for (const text of TEXTS) expect(nous.recencyScore(text, now), text).toBe(Math.exp(-100 / 30));
    for (const text of DATES)
      expect(nous.recencyScore(text, "2026-01-15"), text).toBe(Math.exp(-10 / 30));
    for (const text of DATES)
      expect(nous.recencyScore(text, "2026-01-14T23:59:59.999"), text).toBe(Math.exp(-9 / 30));
  });

  test("as text are refused if the month has no such day", () => {
    const wrong = [
      ...["2026-02-31", "2026-02-30", "2026-02-29", "2026-04-31", "2026-01-32", "2026-01-00"],
      ...["2100-02-29", "1900-02-29", "2026-13-01", "+002026-02-29"],
      ...["2026-02-31T10:00Z", "2026-02-31 10:00", "2026-02-29T00:00:00+02:00"],
      ...["2026-02-28T24:01", "2026-02-28T25:00Z", "2026-02-28T10:60Z"],
    ];
    for (const text of wrong) {
      const candidate = node({ created_at: text });
      expectRefusal(() => nous.rerankTop([candidate], metrics, { now: NOW }), {
        field: "created_at",
        index: 0,
        id: candidate.id,
      });
      expectRefusal(() => new nous.MemoryIndex().upsert([{ id: "a", created_at: text }]), {
        field: "created_at",
        index: 0,
        id: "a",
      });
      expectRefusal(() => new nous.MemoryIndex().search({ now: text }), { field: "now" });
      const [ranked] = nous.rerankTop([candidate], metrics, { now: NOW, onInvalid: "neutral" });
      const [expected] = reference.rerankNeutral([candidate], metrics, undefined, NOW);
      expectSame(ranked, expected);
    }
    const days: [text: string, utc: number][] = [
      ["2024-02-29", Date.UTC(2024, 1, 29)],
      ["2000-02-29T12:00", Date.UTC(2000, 1, 29, 12)],
      ["2026-04-30", Date.UTC(2026, 3, 30)],
      ["2026-01-31T24:00", Date.UTC(2026, 1, 1)],
      // The day exists in its own zone, although UTC has another day then.
      ["2026-02-28T23:30:00-05:00", Date.UTC(2026, 2, 1, 4, 30)],
      ["2024-02-29T00:30+02:00", Date.UTC(2024, 1, 28, 22, 30)],
    ];
    for (const [text, utc] of days) {
      const index = new nous.MemoryIndex();
      index.upsert([{ id: "a", created_at: text }]);
      expect(index.get("a")!.created_at, text).toBe(utc);
    }
  });

  test("as invalid text are refused with an example", () => {
    const index = new nous.MemoryIndex();
    for (const refused of [
      () => index.upsert([{ id: "a", created_at: "yesterday" }]),
      () => index.search({ now: "yesterday" }),
      () => index.search({ filters: { created_after: "yesterday" } }),
      () => nous.rerankTop([node({ created_at: "yesterday" })], metrics, { now: NOW }),
      () => nous.rerankTop([node({})], metrics, { now: "yesterday" }),
      () => nous.groupEpisodes([{ ...defaultEpisodes[0]!, provenance_created_at: "yesterday" }]),
    ])
      expect(refused).toThrow(/an instant.*, such as 2026-01-15T09:30:00Z, found "yesterday"$/);
  });

  test("as text mean the same in every time zone of the process", () => {
    const program = `
      import { recencyScore, rerankTop } from "nous-wasm";
      const node = { id: "a", created_at: 0, access_count: 0, inbound_edge_count: 0 };
      const answers = ${JSON.stringify([...TEXTS, ...DATES])}.flatMap((last_accessed) =>
        [0, 1].map((late) => {
          const now = ${MOMENT} + ${50 * DAY} - late;
          return [recencyScore(last_accessed, now), rerankTop([{ ...node, last_accessed }], {}, { now })[0].score];
        }));
      console.log(JSON.stringify([new Date(0).getTimezoneOffset(), answers]));
    `;
    const run = (TZ: string) => {
      const env = { ...process.env, TZ };
      const options = { env, cwd: import.meta.dirname, encoding: "utf8" } as const;
      return JSON.parse(
        execFileSync(process.execPath, ["--input-type=module", "-e", program], options),
      );
    };
    const [[here, utc], [there, newYork], [, kolkata]] = [
      run("UTC"),
      run("America/New_York"),
      run("Asia/Kolkata"),
    ];
    expect([here, there]).toEqual([0, 300]);
    expectSame(newYork, utc);
    expectSame(kolkata, utc);
  });

  test("may be Dates of another realm, and frozen Dates", () => {
    const foreign = runInNewContext(`new Date(${MOMENT})`) as Date;
    expect(foreign).not.toBeInstanceOf(Date);
    for (const date of [
      foreign,
      Object.freeze(new Date(MOMENT)),
      new (class extends Date {})(MOMENT),
    ]) {
      expect(nous.recencyScore(date, MOMENT + 10 * DAY)).toBe(Math.exp(-10 / 30));
      expect(nous.affinityScore(0, date, date, date)).toBe(0.2);
      const [ranked] = nous.rerankTop([node({ last_accessed: date, created_at: date })], metrics, {
        now: date,
      });
      expect(ranked!.breakdown.recency).toBe(1);
      expect(nous.formatContext([{ provenance_created_at: date }])).toContain("(2026-01-05)");
      const columns = { lastAccessed: [MOMENT - 14 * DAY], stability: [14], section: [0] };
      expect(nous.decayColumns(columns, date).retrievability[0]).toBe(Math.exp(-1));
    }
    const invalid = runInNewContext("new Date(NaN)") as Date;
    expectRefusal(() => nous.rerankTop([node({ created_at: invalid })], metrics), {
      field: "created_at",
      index: 0,
      id: "the node",
    });
  });
});
