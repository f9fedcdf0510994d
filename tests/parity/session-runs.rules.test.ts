// Memories of one session are a run, as memories of one cluster are.

import { Memory, remember } from "nous-memory";
import { expect, test } from "vitest";

const SECOND = 1_000;
const NOW = Date.parse("2026-05-04T09:00:00Z");

/** Returns how much the memories beside the third of five count for it. */
function nearby(session: (place: number) => string | undefined, apart: number): number {
  const memory = new Memory({ clock: () => NOW });
  const texts = ["We met at the ferry.", "It rained.", "Then came Mira.", "Bread.", "Tea."];
  for (const [place, text] of texts.entries()) {
    const created_at = new Date(NOW - 60 * SECOND + place * apart).toISOString();
    remember(memory, { text, created_at, session: session(place) });
  }
  const { ids, names, values } = memory.index.evidence("ferry", { now: NOW });
  const third = ids.findIndex((id) => memory.row(id)?.content_title === "Then came Mira.");
  return values[third * names.length + names.indexOf("nb")]!;
}

test("a session is a run, however its memories were stored", () => {
  expect(nearby(() => "talk", 0)).toBeGreaterThan(0);
  expect(nearby(() => undefined, 0)).toBe(0);
  expect(nearby(() => undefined, 2 * SECOND)).toBeGreaterThan(0);
  expect(nearby((place) => `talk ${place}`, 2 * SECOND)).toBe(0);
});
