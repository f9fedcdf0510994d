// Ask: suggestions, answers with their reasons, other rankings beside them, and the keyboard.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ms, NBSP, percent, signed, withMinus } from "../../../js/page/src/app/format.ts";
import { faultsInAllLooks, overflowOf, sharedPage, WIDTHS } from "./support.ts";

const RIVALS = ["bm25", "signals", "sections", "intent"];
/** The samples, each with a question that nothing in it answers. */
const UNANSWERED = {
  general: "What is the blood type of Theo?",
  trader: "Who is my landlord?",
};

const { visit } = sharedPage();

const ask = (at: string, look = {}) => visit(`ask?${at}`, look);
const first = (page: Page) => page.locator(".answers .answer").first();
const focused = (page: Page) =>
  page.evaluate(() => {
    const item = document.activeElement?.closest(".answer");
    return item == null
      ? (document.activeElement?.tagName ?? "")
      : item.querySelector(".title")?.textContent;
  });

describe("Ask", () => {
  it("answers what it suggests, and says where a memory holds no answer", async () => {
    for (const [sample, unanswered] of Object.entries(UNANSWERED)) {
      const { page, complaints, close } = await ask(`memory=${sample}`);
      await first(page).waitFor();
      const chips = page.getByRole("list", { name: "Suggestions" }).getByRole("button");
      const many = await chips.count();
      expect(many).toBe(5);
      for (let at = 0; at < many; at++) {
        const chip = chips.nth(at);
        const text = await chip.textContent();
        await chip.click();
        await expect.poll(() => chip.getAttribute("aria-pressed")).toBe("true");
        await expect
          .poll(() => page.locator(".verdict").textContent(), { message: text! })
          .toContain("Found in");
      }
      await page.getByRole("searchbox").fill(unanswered);
      await expect
        .poll(() => page.locator(".verdict").textContent(), { message: unanswered })
        .toMatch(/probably holds no answer\..* an answer counts from 20\s% on/);
      expect(await page.locator(".answers.unsure .answer").count()).toBe(3);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it("shows what was understood: words that count, parts, times, intent", async () => {
    const { page, close } = await ask("q=Which+book+did+the+club+discuss+in+October%3F");
    const understood = page.locator(".understood");
    await expect.poll(() => understood.textContent()).toContain("book · club · discuss · october");
    await expect.poll(() => understood.textContent()).toContain("1 Oct 2026 to 31 Oct 2026");
    const box = page.getByRole("searchbox");
    await box.fill("When did we give up the car, and what does a viola by Kenji cost?");
    await expect
      .poll(() => understood.textContent())
      .toContain("“When did we give up the car” and");
    const counting = understood.locator("dd").first();
    await box.fill("Which cake should we bake, and could you please say when?");
    await expect.poll(() => counting.textContent()).toBe("cake · bake · say");
    await box.fill("Sollte ich bitte die Torte backen, und was soll ich feiern?");
    await expect.poll(() => counting.textContent()).toBe("torte · backen · feiern");
    // Where no other word is left, they are what is asked.
    await box.fill("Could you please?");
    await expect.poll(() => counting.textContent()).toBe("could · please");
    await box.fill("What happened at the dentist?");
    await expect.poll(() => understood.textContent()).toContain("Asks forepisodic");
    await close();
  });

  it("names the word that a neighbour stands for, on hover and on focus", async () => {
    const { page, close } = await ask("q=Who+is+our+family+physician%3F", { width: WIDTHS.narrow });
    const mark = first(page).locator("mark.near").first();
    await mark.focus();
    expect(await mark.textContent()).toBe("doctor");
    expect(await mark.getAttribute("aria-description")).toMatch(
      /^“physician” matched “doctor”, nearness 0\.\d\d$/,
    );
    expect(await mark.evaluate((it) => getComputedStyle(it, "::after").content)).toContain(
      "matched",
    );
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await close();
  });

  it("shows evidence that adds up to the score, with a legend of its groups", async () => {
    const { page, close } = await ask("q=Which+evening+is+without+screens%3F");
    await first(page).getByRole("button").click();
    const sums = await first(page)
      .locator("table.evidence")
      .evaluate((table) => {
        const of = (cell: Element | null) => Number(cell?.textContent?.replace("−", "-"));
        const rows = Array.from(table.querySelectorAll("tbody td:last-child"), of);
        return {
          rows: rows.reduce((all, one) => all + one, 0),
          sum: of(table.querySelector("tfoot td")),
        };
      });
    expect(Math.abs(sums.rows - sums.sum)).toBeLessThan(0.1);
    // The filled part of the bar is as long as the probability.
    const bars = await page.locator(".answers .answer").evaluateAll((all) =>
      all.map((it) => {
        const wide = (seg: Element) => seg.getBoundingClientRect().width;
        const filled = Array.from(it.querySelectorAll(".seg:not(.against)"), wide);
        const share = filled.reduce((sum, one) => sum + one, 0) / wide(it.querySelector(".bar")!);
        return Math.abs(
          share * 100 - Number.parseFloat(it.querySelector(".probability")!.textContent!),
        );
      }),
    );
    expect(Math.max(...bars)).toBeLessThan(1.5);
    const groups = await first(page).locator(".bar .seg").count();
    expect(await page.locator(".legend li").count()).toBeGreaterThanOrEqual(groups);
    await close();
  });

  it("shows no scores of the ranking before below the name of another one", async () => {
    const { page, close } = await ask("q=What+lessons+did+we+learn%3F&compare=bm25");
    await page.locator(".rivals li").first().waitFor();
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const look = () => {
        const name = document.querySelector(".columns .right h2")?.textContent;
        const score = document.querySelector(".rivals .score")?.textContent;
        if (name != null && score != null)
          seen.push(
            `${name.includes("BM25") ? "words" : "signals"}: ${score.split(".")[1]!.length}`,
          );
      };
      new MutationObserver(look).observe(document.querySelector(".ask")!, {
        ...{ childList: true, subtree: true, characterData: true },
      });
    });
    const seen = () =>
      page.evaluate(() => [...new Set((globalThis as { seen?: string[] }).seen)].sort());
    await page.getByLabel("Compare with").selectOption("signals");
    await expect.poll(seen).toContain("signals: 2");
    await page.getByLabel("Compare with").selectOption("bm25");
    await expect.poll(seen).toContain("words: 1");
    expect(await seen()).toEqual(["signals: 2", "words: 1"]);
    await close();
  });

  it("compares with other rankings, and joins the same memory by a line", async () => {
    const { page, complaints, close } = await ask("q=What+lessons+did+we+learn%3F");
    await first(page).waitFor();
    for (const rival of RIVALS) {
      await page.getByLabel("Compare with").selectOption(rival);
      await expect.poll(() => page.url()).toContain(`compare=${rival}`);
      await page.locator(".rivals li").first().waitFor();
      await expect
        .poll(() =>
          page.evaluate(() => {
            const ids = (column: string) =>
              Array.from(
                document.querySelectorAll<HTMLElement>(`.${column} [data-id]`),
                (it) => it.dataset.id,
              );
            const [left, right] = [ids("left"), ids("right")];
            const shared = left.filter((id) => right.includes(id)).length;
            return shared - document.querySelectorAll(".lines path").length;
          }),
        )
        .toBe(0);
    }
    // Each memory says its place in the other list.
    const left = await page.locator(".left .elsewhere").allInnerTexts();
    expect(left).toHaveLength(await page.locator(".left .answer").count());
    expect(left.join()).toMatch(/\d(st|nd|rd|th) by six signals/);
    await page.getByLabel("Compare with").selectOption("none");
    await expect.poll(() => page.url()).not.toContain("compare");
    expect(await page.locator(".rivals").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has a button that clears the question, beside it and not over it", async () => {
    const { page, close } = await ask("q=milk", { width: WIDTHS.narrow });
    const box = page.getByRole("searchbox");
    await page.getByRole("button", { name: "Clear the question" }).press("Enter");
    expect(await box.inputValue()).toBe("");
    expect(await focused(page)).toBe("INPUT");
    await box.fill("milk");
    const room = await box.evaluate((it) => Number.parseFloat(getComputedStyle(it).paddingRight));
    const wide = await page.getByRole("button", { name: "Clear the question" }).boundingBox();
    expect(room).toBeGreaterThan(wide!.width);
    await close();
  });

  it("takes an unknown ranking of the address for none", async () => {
    const { page, complaints, close } = await ask("compare=toString");
    await first(page).waitFor();
    expect(await page.getByLabel("Compare with").inputValue()).toBe("none");
    expect(complaints).toEqual([]);
    await close();
  });

  it("works from the keyboard alone", async () => {
    const { page, close } = await ask("q=Which+evening+is+without+screens%3F");
    await first(page).waitFor();
    const titles = await page.locator(".answers .title").allTextContents();
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe(titles[0]);
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe(titles[1]);
    await page.keyboard.press("Enter");
    await page.locator("table.evidence").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator("table.evidence").count()).toBe(0);
    expect(await focused(page)).toBe(titles[1]);
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toBe(titles[0]);
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("INPUT");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("INPUT");
    await page.keyboard.type("milk");
    await expect.poll(() => page.url()).toContain("q=milk");
    await close();
  });

  it("links a memory that is superseded to the one that supersedes it", async () => {
    const { page, close } = await ask("memory=trader&q=Can+extreme+funding+stay+extreme%3F");
    const note = page.locator(".note a").first();
    await note.waitFor();
    const name = await note.textContent();
    await note.click();
    expect(await focused(page)).toBe(name);
    await close();
  });

  it("says so if nothing has to do with the question", async () => {
    const { page, complaints, close } = await ask("q=%3F%3F%3F");
    await expect
      .poll(() => page.locator(".verdict").textContent())
      .toBe("Nothing in this memory has to do with the question.");
    expect(complaints).toEqual([]);
    await close();
  });

  it("says in both columns that neither ranking finds anything", async () => {
    const { page, close } = await ask("q=%3F%3F%3F&compare=signals");
    await expect.poll(() => page.locator(".right .verdict").count()).toBe(1);
    expect(await page.locator(".columns .verdict").allInnerTexts()).toEqual([
      "It finds nothing.",
      "It finds nothing.",
    ]);
    await close();
  });

  it("is accessible and fits, in both themes, narrow and wide", async () => {
    for (const at of ["compare=intent&q=Which+lessons%3F", "q=What+is+the+blood+type+of+Theo%3F"]) {
      const { page, complaints, close } = await ask(at);
      await first(page).getByRole("button").click();
      if (at.startsWith("compare")) await page.locator(".rivals li").first().waitFor();
      expect(await faultsInAllLooks(page), at).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    }
  });
});

it("writes a probability in one line, wide and narrow", async () => {
  const { page, close } = await ask("");
  await first(page).waitFor();
  for (const width of [WIDTHS.wide, WIDTHS.narrow]) {
    await page.setViewportSize({ width, height: 800 });
    const [lines, isWithin] = await page
      .locator(".answer .probability")
      .first()
      .evaluate((probability) => {
        probability.textContent = "> 99 %";
        const text = document.createRange();
        text.selectNodeContents(probability);
        const { right } = text.getBoundingClientRect();
        const body = probability.nextElementSibling!.getBoundingClientRect();
        const isBelow = body.top >= text.getBoundingClientRect().bottom;
        return [text.getClientRects().length, isBelow || right <= body.left];
      });
    expect([lines, isWithin], `${width} px`).toEqual([1, true]);
  }
  await close();
});

it("gives what rounds to zero without a sign", () => {
  expect([-0.004, 0, 0.004, -0.005, 1.3].map(signed)).toEqual([
    "0.00",
    "0.00",
    "0.00",
    "−0.01",
    "+1.30",
  ]);
});

it("gives a share as a percentage of which only that of all is 100", () => {
  const shares = [0, 0.0003, 0.004, 0.42, 0.994, 0.998, 1];
  const told = ["0 %", "< 0.1 %", "0.4 %", "42 %", "99 %", "> 99 %", "100 %"];
  // A number and its sign are in one line.
  expect(shares.map(percent)).toEqual(told.map((text) => text.replaceAll(" ", NBSP)));
});

it("gives milliseconds no more digits than the clock of a browser has", () => {
  const told = ["< 0.1 ms", "0.1 ms", "9.5 ms", "99.4 ms", "120 ms"];
  expect([0.04, 0.1, 9.46, 99.4, 120].map(ms)).toEqual(
    told.map((text) => text.replaceAll(" ", NBSP)),
  );
});

it("gives every number below zero the same minus sign", () => {
  expect([-0.35, -0.004, 0.35].map(withMinus)).toEqual(["−0.35", "0.00", "0.35"]);
});
