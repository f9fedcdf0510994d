// The view Time: another day, its answers, recalls, both curves.

import {
  calculateRetrievability,
  createEngine,
  LIFECYCLE_STATES,
  MemoryIndex,
  SECTION_PROFILES,
} from "nous-wasm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Held } from "../../../js/page/src/memory/held.ts";
import { recalled, statesOverTime } from "../../../js/page/src/memory/life.ts";
import { countAxis } from "../../../js/page/src/views/time/axes.ts";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const MILK = "q=Which+milk+should+I+buy+for+Theo%3F";

/** For what takes seconds. */
const PATIENT = { timeout: 15_000 };

const { url, visit } = sharedPage();

const open = (at: string, look = {}) => visit(at, look);

/** Waits until states, answers and curves are there. */
async function settle(page: Page): Promise<void> {
  await page.locator(".states td").filter({ hasText: /\d/ }).first().waitFor();
  await page.locator(".day-answers li").first().waitFor();
  await page.locator(".fades tbody tr").first().waitFor();
}

const titles = (page: Page) => page.locator(".day-answers li h3").allInnerTexts();

/**
 * Returns a column of the table of states: 1 for that day, 2 for today. Today has no other column.
 */
async function counts(page: Page, column: 1 | 2): Promise<number[]> {
  const last = await page.locator(".states thead th").count();
  const place = column === 1 ? last : 2;
  const cells = await page.locator(`.states tbody td:nth-child(${place})`).allInnerTexts();
  return cells.map((text) => Number(text.replaceAll(",", "")));
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

describe("the life of memories", () => {
  const DAY = 86_400_000;
  const now = Date.parse("2026-12-01T00:00:00Z");
  const subtypes = ["custom:signal", "custom:lesson", "custom:playbook", "custom:turn_summary"];
  const nodes = Array.from({ length: 200 }, (_, place) => ({
    id: `m${place}`,
    subtype: subtypes[place % subtypes.length]!,
    created_at: now - (400 - 2 * place) * DAY,
    last_accessed: place % 3 === 0 ? now - (place % 90) * DAY : null,
  }));

  function heldWith(those: typeof nodes): Held {
    const index = new MemoryIndex();
    index.upsert(those, { now });
    return { index, now, config: {}, engine: createEngine() } as unknown as Held;
  }

  it("has the states that a sweep of the engine finds on a day", () => {
    for (const day of [now, now + 30 * DAY, now + 700 * DAY]) {
      const held = heldWith(nodes);
      const request = {
        curve: "exponential",
        days: [now - 500 * DAY, day],
        generation: 1,
      } as const;
      const { counts } = statesOverTime(held, request);
      held.index.applyDecay(held.index.decay(day).changes);
      const swept = LIFECYCLE_STATES.map(
        (state) => nodes.filter(({ id }) => held.index.get(id)!.lifecycle === state).length,
      );
      expect(counts.map((own) => own[1])).toEqual(swept);
      expect(counts.map((own) => own[0])).toEqual([0, 0, 0, 0, 0]);
      held.index.free();
    }
  });

  it("recalls a copy: stability grows as by the engine, and the index stays", () => {
    for (const id of ["m1", "m2", "m3"]) {
      const held = heldWith(nodes);
      const before = held.index.get(id)!;
      const recalls = [now, now + 40 * DAY];
      const request = {
        id,
        recalls,
        curve: "exponential",
        to: now + 700 * DAY,
        points: 50,
      } as const;
      const { stabilities, days, with: withRecalls, without } = recalled(held, request);
      expect(held.index.get(id)).toEqual(before);
      const grown = recalls.map((at) => {
        held.index.recall([id], at);
        return held.index.get(id)!.stability;
      });
      expect(stabilities).toEqual([before.stability, ...grown]);
      expect(withRecalls[days.indexOf(now)]).toBe(1);
      for (const [place, share] of withRecalls.entries())
        expect(share).toBeGreaterThanOrEqual(without[place]!);
      held.index.free();
    }
  });
});

describe("the view Time", () => {
  it("shows states, answers and curves of today, then those of another day", async () => {
    const { page, complaints, close } = await open(`time?${MILK}`);
    await settle(page);
    expect(await page.locator(".day .date").innerText()).toBe("1 Dec 2026");
    const today = await counts(page, 2);
    expect(await counts(page, 1)).toEqual(today);
    const named = await page.locator(".states tbody th").allInnerTexts();
    expect(named.map((text) => text.trim().split(" ")[0]!.toUpperCase())).toEqual(LIFECYCLE_STATES);
    expect(sum(today)).toBe(734);
    const now = await titles(page);
    await page.goto(`${url()}#/time?${MILK}&day=2026-03-01`);
    await expect.poll(() => page.locator(".day .date").innerText()).toBe("1 Mar 2026");
    await expect.poll(() => titles(page)).not.toEqual(now);
    await expect.poll(() => counts(page, 1)).not.toEqual(today);
    const then = await counts(page, 1);
    expect(sum(then)).toBeLessThan(sum(today));
    expect(await counts(page, 2)).toEqual(today);
    await page.locator(".move").first().waitFor();
    const made = await page.locator(".day-answers .facts").allInnerTexts();
    for (const facts of made) expect(facts).toMatch(/(Dec 2025|Jan 2026|Feb 2026|1 Mar 2026)/);
    expect(await page.locator(".verdict").first().innerText()).toContain("not made yet");
    const order = await page.locator(".verdict.order").innerText();
    const moved = await page.locator(".day-answers .move").count();
    const all = made.length;
    expect(order).toBe(
      `The order differs from today: ${moved} of ${all} answers have another place.`,
    );
    expect(complaints).toEqual([]);
    await close();
  });

  it("says that the order stays the same on a later day, and why", async () => {
    const { page, complaints, close } = await open(`time?${MILK}`);
    await settle(page);
    const now = await titles(page);
    expect(await page.locator(".verdict.order").count()).toBe(0);
    await page.goto(`${url()}#/time?${MILK}&day=2028-11-30`);
    await expect.poll(() => page.locator(".day .date").innerText()).toBe("30 Nov 2028");
    const told = page.locator(".verdict.order");
    await told.waitFor();
    expect(await told.innerText()).toMatch(/^The order is the same as today\. .*recency/);
    expect(await titles(page)).toEqual(now);
    const held = await page.locator(".day-answers .held").allInnerTexts();
    for (const text of held) expect(text).not.toMatch(/\s0\.0\s%/);
    expect(complaints).toEqual([]);
    await close();
  });

  it("is moved by the keyboard, and keeps the day in the address", async () => {
    const { page, complaints, close } = await open(`time?${MILK}`);
    await settle(page);
    const slider = page.getByRole("slider", { name: "Day" });
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator(".day .date").innerText()).toBe("2 Dec 2026");
    await expect.poll(() => page.url()).toContain("day=2026-12-02");
    expect(await slider.getAttribute("aria-valuetext")).toBe("2 Dec 2026, tomorrow");
    await page.keyboard.press("End");
    expect(await page.locator(".day .date").innerText()).toBe("30 Nov 2028");
    await page.keyboard.press("Home");
    expect(await page.locator(".day .date").innerText()).toBe("1 Dec 2025");
    await page.getByRole("button", { name: "Today" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.locator(".day .date").innerText()).toBe("1 Dec 2026");
    await expect.poll(() => page.url()).not.toContain("day=");
    expect(complaints).toEqual([]);
    await close();
  });

  it("plays, and pauses", async () => {
    const { page, complaints, close } = await open(`time?${MILK}&day=2026-01-01`);
    await settle(page);
    await page.getByRole("button", { name: "Play" }).click();
    const date = page.locator(".day .date");
    await expect.poll(() => date.innerText(), PATIENT).toMatch(/(Mar|Apr|May|Jun|Jul) 2026/);
    await page.getByRole("button", { name: "Pause" }).click();
    const stopped = await date.innerText();
    await page.waitForTimeout(200);
    expect(await date.innerText()).toBe(stopped);
    await expect.poll(() => page.url()).toContain("day=2026-");
    expect(complaints).toEqual([]);
    await close();
  });

  it("plays in steps of a month if less motion is wanted", async () => {
    const context = { reducedMotion: "reduce" } as const;
    const { page, close } = await open(`time?${MILK}&day=2026-01-01`, { context });
    await settle(page);
    await page.evaluate(() => {
      const dates: string[] = [];
      Object.assign(globalThis, { dates });
      const date = document.querySelector(".day .date")!;
      const note = () => dates.push(date.textContent);
      new MutationObserver(note).observe(date, { characterData: true, subtree: true });
    });
    await page.getByRole("button", { name: "Play" }).click();
    const seen = () => page.evaluate(() => (globalThis as unknown as { dates: string[] }).dates);
    await expect.poll(seen, PATIENT).toEqual(["31 Jan 2026", "3 Mar 2026"]);
    await close();
  });

  it("recalls a memory, again and again, and leaves the open memory as it is", async () => {
    const { page, complaints, close } = await open(`time?${MILK}`);
    await settle(page);
    const before = await counts(page, 2);
    const first = page.locator(".day-answers li").first();
    await first.getByRole("button", { name: /^Recall/ }).click();
    const told = first.locator(".recall [role=status]");
    // A preference of Knowledge: 60 days, times the growth of its section.
    expect(await told.innerText()).toMatch(/^Recalled on 1 Dec 2026\. Stability: 60 → 144 days\./);
    expect(await first.locator(".growth .days").allInnerTexts()).toEqual(["60 days", "144 days"]);
    await expect.poll(() => page.url()).toContain("recalled=");
    const slider = page.getByRole("slider", { name: "Day" });
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Recall again on 2 Dec 2026" }).click();
    await expect.poll(() => told.innerText()).toMatch(/60 → 144 → 34\d days/);
    expect(await counts(page, 2)).toEqual(before);
    await page.getByRole("button", { name: "Undo" }).click();
    await told.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows the days of each section on both curves", async () => {
    const { page, complaints, close } = await open(`time?${MILK}`);
    await settle(page);
    const cells = page.locator(".fades tbody tr:nth-child(3) td");
    const { initial_stability_days: stability, active_threshold: active } =
      SECTION_PROFILES.KNOWLEDGE.decay;
    const [begin, weak] = (await cells.allInnerTexts()).map(Number);
    expect(begin).toBe(stability);
    expect(calculateRetrievability(weak!, stability)).toBeCloseTo(active, 1);
    const states = await counts(page, 1);
    await page.getByRole("radio", { name: "FSRS-6" }).focus();
    await page.keyboard.press("Space");
    await expect.poll(async () => Number((await cells.allInnerTexts())[0])).toBeCloseTo(6.3, 1);
    await expect.poll(() => page.url()).toContain("curve=fsrs6");
    await expect.poll(() => counts(page, 1)).not.toEqual(states);
    expect(complaints).toEqual([]);
    await close();
  });

  it("draws in the colours of the theme", async () => {
    const { page, close } = await open(`time?${MILK}`);
    await settle(page);
    const pictures = () =>
      page.evaluate(() =>
        Array.from(document.querySelectorAll("canvas"), (canvas) => canvas.toDataURL()),
      );
    const light = await pictures();
    expect(light.length).toBe(2);
    await page.getByRole("button", { name: "Switch to dark colours" }).click();
    await expect
      .poll(async () => (await pictures()).every((one, at) => one !== light[at]))
      .toBe(true);
    await close();
  });

  it("takes wrong values of the address as the usual ones", async () => {
    const wrong = "day=yesterday&curve=steep&recalled=nobody&on=never,2026-13-45";
    const { page, complaints, close } = await open(`time?${MILK}&${wrong}`);
    await settle(page);
    expect(await page.locator(".day .date").innerText()).toBe("1 Dec 2026");
    await page.goto(`${url()}#/time?${MILK}&day=1999-01-01`);
    await expect.poll(() => page.locator(".day .date").innerText()).toBe("1 Dec 2025");
    expect(complaints).toEqual([]);
    await close();
  });

  it("has no faults of accessibility, and fits narrow and wide windows, in both themes", async () => {
    const { page, complaints, close } = await open(`time?${MILK}&day=2026-06-01`);
    await settle(page);
    await page.locator(".day-answers .more").first().click();
    await page.locator(".recall canvas").waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});

it("labels its axis of counts so shortly that the name of the axis stands beside them", () => {
  const counts = [0, 0.5, 800, 9_500, 12_500, 100_000, 1_000_000];
  const { values } = countAxis();
  const labels = (values as unknown as (chart: null, splits: number[]) => string[])(null, counts);
  expect(labels).toEqual(["0", "", "800", "9,500", "12.5k", "100k", "1,000k"]);
});
