// The days of events and agents: an event's own offset decides its day, and else the time zone that the
// settings give an agent.

import fc from "fast-check";
import { Memory, promptOfTurn, remember } from "nous-memory";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const PLACES = { apia: "Pacific/Apia", honolulu: "Pacific/Honolulu" } as const;
const entries = Object.entries(PLACES).map(([agent, zone]) => `${agent}=${zone}`);
const { client, server } = sharedServer(["--time-zone", ["Europe/Berlin", ...entries].join(",")]);

const DAY = 86_400_000;
const dayIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(at);
/** A day as prompts write it: "3 Oct 2026". */
const written = (day: string): string => {
  const [, month, date] = day.split("-").map(Number);
  const names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  return `${date} ${names[month! - 1]} ${day.slice(0, 4)}`;
};

async function stored(own: Pick<Client, "ask">, body: object): Promise<string> {
  const answer = await own.ask("POST /remember", body);
  expect(answer).toMatchObject({ status: 200, body: { created: 1 } });
  return answer.body.stored[0].id;
}
const node = async (own: Client, id: string) =>
  (await own.ask(`GET /nodes/${id}?recall=false`)).body;
const found = (own: Client, query: string) => own.search(query, { limit: 20 });

describe("an event with an offset from UTC", () => {
  test("is on the day of its own clock: in answers, questions, prompts and tools", async () => {
    const own = client();
    const supper = await stored(own, {
      text: "Supper with Ada.",
      event_time: "2026-11-20T19:00:00-08:00",
    });
    const swim = await stored(own, {
      text: "Swimming with Ben.",
      event_time: "2026-11-19T19:00:00-08:00",
    });
    expect((await node(own, supper)).event_time).toBe("2026-11-20T19:00:00.000-08:00");
    expect(await found(own, "What did I do on 20 November 2026?")).toEqual([supper]);
    expect(await found(own, "What did I do on 19 November 2026?")).toEqual([swim]);
    const { body } = await own.ask("POST /context", { input: "What did I do with Ada?" });
    expect(body.prompt).toContain("Supper with Ada. (on 20 Nov 2026, ");
    // As an instant it lies on the 21st in Berlin.
    const timeline = await own.ask("GET /timeline?from=2026-11-21&to=2026-11-21");
    expect(timeline.body.data.map(({ id, at }: { id: string; at: string }) => [id, at])).toEqual([
      [supper, "2026-11-21T03:00:00.000Z"],
    ]);
    const exported = await own.ask("GET /nodes?event_after=2026-11-21");
    expect(exported.body.data.map(({ id }: { id: string }) => id)).toEqual([supper]);
  });

  test("is the same memory again under its id, also by another clock", async () => {
    const own = client();
    const given = { id: "supper", type: "event", content_title: "Supper" };
    const first = { ...given, event_time: "2026-11-21T03:00:00Z" };
    expect(await own.ask("POST /nodes", first)).toMatchObject({ status: 201 });
    const again = { ...given, event_time: "2026-11-20T19:00:00-08:00" };
    expect(await own.ask("POST /nodes", again)).toMatchObject({ status: 201 });
    expect((await own.ask("GET /nodes")).body.count).toBe(1);
    const other = { ...given, event_time: "2026-11-20T19:00:00-07:00" };
    expect(await own.ask("POST /nodes", other)).toMatchObject({ status: 409 });
  });

  test("keeps its clock through a change, and loses it with another time", async () => {
    const own = client();
    const { id } = await own.create({ event_time: "2026-11-20T19:00:00+05:45" });
    await own.ask(`PATCH /nodes/${id}`, { content_title: "Another title" });
    expect((await node(own, id)).temporal_event_time).toBe("2026-11-20T19:00:00.000+05:45");
    await own.ask(`PATCH /nodes/${id}`, { event_time: "2026-11-20T19:00:00+00:00" });
    expect((await node(own, id)).event_time).toBe("2026-11-20T19:00:00.000Z");
  });
});

describe("the time zone of an agent", () => {
  test("reads times without a zone: they are not of the future, wherever the server is", async () => {
    const own = client();
    const now = new Date();
    const local = (timeZone: string) =>
      new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
        .format(now)
        .replace(" ", "T");
    const created_at = local("Europe/Berlin");
    const messages = [{ role: "user", content: "The lamp is in the hall.", created_at }];
    const id = await stored(own, { messages });
    const of = Date.parse((await node(own, id)).created_at);
    expect(Math.abs(of - now.getTime())).toBeLessThan(2_000);
    const ahead = { text: "The kettle is new.", created_at: local("Asia/Tokyo") };
    expect(await own.ask("POST /remember", ahead)).toMatchObject({ status: 400 });
  });

  test("decides the days of times in UTC: of questions, bounds and lines", async () => {
    for (const [agent, zone] of Object.entries(PLACES)) {
      const ask: Client["ask"] = (call, body, headers = {}) =>
        server().ask(call, body, { "x-nous-agent": agent, ...headers });
      const ids = new Map<string, string>();
      const at = fc.sample(fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2026, 5) }), {
        ...runs(amount(60, 12)),
      });
      for (const [place, instant] of at.entries()) {
        const time = new Date(instant).toISOString();
        const id = `n_${place}`;
        const times = place % 2 === 0 ? { event_time: time } : { created_at: time };
        const made = { id, type: "note", content_title: `Walk ${place}`, ...times };
        expect((await ask("POST /nodes", made)).status).toBe(201);
        ids.set(id, dayIn(zone, instant));
      }
      for (const day of new Set(ids.values())) {
        const expected = [...ids].flatMap(([id, of]) => (of === day ? [id] : [])).sort();
        const search = { query: `What did I do on ${day}?`, limit: 50 };
        const answer = await ask("POST /search", search);
        const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
        expect(idsOf(answer.body.data)).toEqual(expected);
        const timeline = await ask(`GET /timeline?from=${day}&to=${day}`);
        expect(idsOf(timeline.body.data)).toEqual(expected);
        const { body } = await ask("POST /context", { input: `What did I do on ${day}?` });
        expect(body.prompt).toContain(`on ${written(day)}, `);
      }
      expect((await ask("GET /agent")).body.time_zone).toBe(zone);
    }
  });

  test("decides the day of an event that is given as a day", async () => {
    const own = client();
    const id = await stored(own, { text: "The bridge was opened.", event_time: "2026-05-31" });
    expect((await node(own, id)).event_time).toBe("2026-05-31T00:00:00.000+02:00");
    expect(await found(own, "What was on 31 May 2026?")).toEqual([id]);
    expect(await found(own, "What was on 30 May 2026?")).toEqual([]);
  });

  test("tells what a question names in instants", async () => {
    const own = client();
    const { id } = await own.create({ content_title: "Walk", event_time: "2026-05-31" });
    const asked = { query: "What did I do on 31 May 2026?", id };
    const { body } = await own.ask("POST /explain", asked);
    expect(body.understood.times).toEqual([
      { text: "31 May 2026", start: "2026-05-30T22:00:00.000Z", end: "2026-05-31T22:00:00.000Z" },
    ]);
    expect(body.data[0].rank).toBe(1);
  });

  test("is the same in this process", () => {
    const now = Date.parse("2026-05-31T23:30:00Z");
    const memory = new Memory({ timeZone: "Europe/Berlin", clock: () => now });
    try {
      remember(memory, { text: "Met Ada.", event_time: "2026-06-01T00:30:00" });
      remember(memory, { text: "Met Ben.", event_time: "2026-05-31T12:00:00-08:00" });
      const { prompt } = promptOfTurn(memory, { input: "Whom did I meet?" });
      expect(prompt).toContain("Met Ada. (on 1 Jun 2026, today)");
      expect(prompt).toContain("Met Ben. (on 31 May 2026, yesterday)");
      const [today] = memory.index.ask("What did I do today?", {
        now,
        time_zone: memory.timeZone,
      });
      expect(memory.row(today!.id)?.temporal_event_time).toBe("2026-06-01T00:30:00.000+02:00");
      expect(() => new Memory({ timeZone: "Atlantis" })).toThrow("time_zone");
      expect(now % DAY).toBeGreaterThan(0);
    } finally {
      memory.free();
    }
  });
});
