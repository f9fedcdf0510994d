// Texts of memories in all their forms: words longer than a line, languages without blanks or from
// the right, texts that a list cuts.

import { describe, expect, it } from "vitest";
import { shortened, titleOf } from "../../../js/page/src/memory/records.ts";
import { overflowOf, sharedPage, WIDTHS } from "./support.ts";

const { visit } = sharedPage();

const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const JAPANESE = "私は毎朝七時に起きて、駅前のパン屋でコーヒーを買います。".repeat(40);

const note = (id: string, content_title: string, content_body: string, more = {}) => ({
  ...{ kind: "node", id, type: "note", subtype: "custom:note", content_title, content_body },
  created_at: "2026-03-04T09:00:00Z",
  ...more,
});

const ROWS = [
  { kind: "agent", preset: "general" },
  note("word", WORD, `${WORD} ${"a".repeat(400)}`, { tags: [WORD] }),
  note("untitled", "", `${WORD}${WORD} costs more.`),
  note("japanese", "", JAPANESE),
  note("arabic", "", "أختي تعيش في القاهرة."),
  { kind: "conflict", id: "q", old_node_id: "word", new_node_id: "untitled", status: "pending" },
  {
    ...{ kind: "edge", id: "g", type: "likely_supersedes", strength: 0.8 },
    ...{ source_id: "untitled", target_id: "word", created_at: "2026-03-09T09:00:00Z" },
  },
];

const opened = async (width: number) => {
  const own = await visit("memories?memory=general", { width });
  await own.page.getByLabel("Choose files").setInputFiles({
    name: `${WORD}.jsonl`,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(ROWS.map((row) => JSON.stringify(row)).join("\n")),
  });
  await own.page.locator('.record[data-id="arabic"]').waitFor();
  return own;
};

describe("a text in place of a title", () => {
  it("is whole if it is short, and else ends at a blank, or within a long word", () => {
    expect(titleOf({ title: "", text: "I live in Graz." })).toBe("I live in Graz.");
    expect(shortened("The rent is 950 pounds.", 12)).toBe("The rent is …");
    expect(shortened(`A ${WORD}`, 20)).toBe("A Donaudampfschifffa …");
    expect(shortened("🎉".repeat(20), 7)).toBe("🎉🎉🎉 …");
    for (const text of [JAPANESE, WORD, "one two three four five six"])
      for (let most = 4; most < 60; most += 1) {
        const short = shortened(text, most);
        if (text.length <= most) expect(short).toBe(text);
        else expect(text.startsWith(short.slice(0, -2)) && short.length <= most + 2).toBe(true);
      }
  });
});

describe("texts of memories", () => {
  it("with very long words stay in the window, in every view", async () => {
    const { page, complaints, close } = await opened(WIDTHS.narrow);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const faults: string[] = [];
    const asked = `memory=yours&q=${encodeURIComponent(WORD)}`;
    for (const [at, there] of [
      ["ask?", ".answer .values"],
      ["ask?compare=bm25&", ".rival-item"],
      ["why-not?id=word&", ".standing"],
      ["context?", ".recalled li"],
      ["time?", ".day-answers li"],
      ["graph?node=word&", ".picked"],
      ["sections?", ".moved li"],
      ["sections?by=signals&", ".moved li"],
    ]) {
      await page.goto(`${page.url().split("#")[0]}#/${at}${asked}`);
      await page.locator(there!).first().waitFor();
      for (const width of [WIDTHS.narrow, WIDTHS.wide]) {
        await page.setViewportSize({ width, height: 800 });
        if ((await overflowOf(page)) > 0) faults.push(`${at} ${width}`);
        // Also where the window is wide enough, a title stays in its column.
        const beyond = await page.locator(".title").evaluateAll(
          (titles) =>
            titles.filter((title) => {
              const hides = getComputedStyle(title).overflowX === "hidden";
              return !hides && title.scrollWidth > title.clientWidth + 1;
            }).length,
        );
        if (beyond > 0) faults.push(`${at} ${width}: a title`);
      }
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("are cut also without blanks, shown whole on demand, and have their direction", async () => {
    const { page, close } = await opened(WIDTHS.wide);
    const record = page.locator('.record[data-id="japanese"]');
    expect((await record.locator(".text").innerText()).length).toBeLessThan(400);
    await record.getByRole("button", { name: /^Show all of 私は/ }).press("Enter");
    await expect.poll(() => record.locator(".text").innerText()).toBe(JAPANESE);
    await record.getByRole("button", { name: /^Show less of 私は/ }).press("Enter");
    await expect.poll(() => record.locator(".text").innerText()).toMatch(/ …$/);
    const arabic = page.locator('.record[data-id="arabic"]');
    expect(await arabic.getByRole("button", { name: /^Show all/ }).count()).toBe(0);
    // The full stop ends the sentence at its left.
    const places = await arabic.locator(".text").evaluate((text) => {
      const node = Array.from(text.childNodes).find((each) => each.textContent !== "")!;
      const leftOf = (at: number) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect().left;
      };
      return { first: leftOf(0), last: leftOf(node.textContent!.length - 1) };
    });
    expect(places.last).toBeLessThan(places.first);
    await close();
  });
});
