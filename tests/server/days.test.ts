// Days and times of requests: a day without a time of day counts as a whole, and a memory may have been
// said before it is stored.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const DAY = 86_400_000;
/** Instants at the edges of days, and within them. */
const INSTANTS = [0, 1, 2].flatMap((day) =>
  [0, 1, DAY / 2, DAY - 1].map((within) => Date.UTC(2026, 4, 30 + day) + within),
);
const iso = (instant: number) => new Date(instant).toISOString();
const bound = fc.oneof(
  fc.constantFrom("2026-05-29", "2026-05-30", "2026-05-31", "2026-06-01", "2026-06-02"),
  fc.constantFrom(...INSTANTS).map(iso),
);

/** The first and the last instant of a bound. */
const endsOf = (text: string): [first: number, last: number] => {
  const first = Date.parse(text);
  return [first, text.length === 10 ? first + DAY - 1 : first];
};

describe("a day without a time of day", () => {
  test("counts as a whole, whatever bounds it", async () => {
    const own = client();
    for (const instant of INSTANTS) {
      const times = { event_time: iso(instant), created_at: iso(instant) };
      await own.create({ id: `n_${instant}`, content_title: `Harbour note ${instant}`, ...times });
    }
    const among = (wanted: (instant: number) => boolean) =>
      INSTANTS.filter(wanted).map((instant) => `n_${instant}`);
    const listed = async (call: string, query: Record<string, string>) => {
      const search = new URLSearchParams({ ...query, limit: "50" });
      const { status, body } = await own.ask(`GET /${call}?${search}`);
      expect(status).toBe(200);
      return body.data.map(({ id }: { id: string }) => id).sort();
    };
    const property = fc.asyncProperty(bound, bound, async (one, other) => {
      const [from, to] = endsOf(one)[0] <= endsOf(other)[0] ? [one, other] : [other, one];
      const [[first], [, last]] = [endsOf(from), endsOf(to)];
      const within = among((instant) => instant >= first && instant <= last);
      expect(await listed("timeline", { from, to })).toEqual(within);
      const ofEvent = { event_after: from, event_before: to };
      expect(await listed("nodes", ofEvent)).toEqual(within);
      const created = { created_after: from, created_before: to };
      expect(await listed("nodes", created)).toEqual(within);
      for (const type of ["event", "ingestion", "any"]) {
        const time_range = { start: from, end: to, type };
        for (const ranking of ["evidence", "signals"]) {
          const found = await own.search("harbour note", { time_range, ranking, limit: 50 });
          expect(found.sort()).toEqual(within);
        }
      }
      for (const field of ["created", "event_time"]) {
        const filtered = (bounds: object) =>
          listed("nodes", { filter: JSON.stringify({ [field]: bounds }) });
        expect(await filtered({ gte: from, lte: to })).toEqual(within);
        expect(await filtered({ lt: from })).toEqual(among((instant) => instant < first));
        expect(await filtered({ gt: to })).toEqual(among((instant) => instant > last));
      }
    });
    await fc.assert(property, runs(amount(100)));
  });
});

describe("a memory that was said before it is stored", () => {
  test("has the time that the request gives: of a text, of texts, and of messages without one", async () => {
    const own = client();
    const created_at = "2025-03-04T05:06:07.000Z";
    const said = "2025-03-03T00:00:00.000Z";
    const asked = [
      { text: "The ferry leaves at nine." },
      { memories: ["The lamp is in the hall.", { text: "Omar sold the boat.", created_at: said }] },
      {
        messages: [
          { role: "user", content: "We painted the fence green." },
          { role: "user", content: "The kiln was delivered early.", created_at: said },
        ],
      },
    ];
    const stored: string[] = [];
    for (const body of asked) {
      const answer = await own.ask("POST /remember", { ...body, created_at });
      expect(answer).toMatchObject({ status: 200 });
      stored.push(...answer.body.stored.map(({ id }: { id: string }) => id));
    }
    const times = await Promise.all(
      stored.map(async (id) => (await own.ask(`GET /nodes/${id}?recall=false`)).body),
    );
    expect(times.map((node) => node.created_at)).toEqual([
      created_at,
      created_at,
      said,
      created_at,
      said,
    ]);
    for (const node of times) expect(node.provenance_created_at).toBe(node.created_at);
    const [first] = times;
    const fresh = await own.ask("POST /remember", { text: "The kettle is new." });
    const now = await own.ask(`GET /nodes/${fresh.body.stored[0].id}?recall=false`);
    expect(first.neural_retrievability).toBeLessThan(now.body.neural_retrievability);
  });

  test("is not of the future, but for what clocks differ by", async () => {
    const own = client();
    const given = (ahead: number) => ({
      text: `A note of ${ahead} milliseconds ahead.`,
      created_at: iso(Date.now() + ahead),
    });
    expect(await own.ask("POST /remember", given(30_000))).toMatchObject({ status: 200 });
    expect(await own.ask("POST /remember", given(3_600_000))).toMatchObject({
      status: 400,
      body: { issues: [{ path: "created_at", message: expect.stringContaining("+02:00") }] },
    });
  });
});
