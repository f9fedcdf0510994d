// The view Prompt: the prompt of a turn follows its budgets, and is that of the server.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Embedder, init } from "nous-wasm";
import { describe, expect, it } from "vitest";
import { buildContext } from "../../../js/page/src/memory/context.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, noRows } from "../../../js/page/src/memory/lines.ts";
import { PROGRAM, start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const { visit } = sharedPage();

describe("the view Prompt", () => {
  it("shows the prompt, and what its budgets leave out", async () => {
    const asked = "context?memory=trader&q=What+lessons+did+I+learn+about+funding%3F";
    const { page, complaints, close } = await visit(asked);
    const blocks = page.locator(".blocks section");
    await blocks.first().waitFor();
    const before = await blocks.count();
    expect(before).toBeGreaterThan(2);
    const recalled = page.locator("section[aria-labelledby=recalled] li");
    expect(await recalled.count()).toBeGreaterThan(3);
    expect(await recalled.first().innerText()).toMatch(/\d\s%/);
    // The tokens of the sections are those of the whole prompt.
    const tokensOf = async (texts: Promise<string[]>) =>
      (await texts).map((text) => Number(text.replaceAll(",", "").match(/\d+/)![0]));
    const parts = await tokensOf(blocks.locator("h3 span").allInnerTexts());
    const [whole] = await tokensOf(page.locator(".prompt header + .note").allInnerTexts());
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
    // With the keyboard alone.
    await page.getByRole("spinbutton", { name: "Budget in tokens, Whole prompt" }).focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("60");
    await page.keyboard.press("Enter");
    await page.getByText("It does not fit into the whole prompt").waitFor();
    await expect.poll(() => blocks.count()).toBeLessThan(before);
    await expect.poll(() => page.url()).toContain("budgets=total*60");
    await page.reload();
    await page
      .locator(".prompt")
      .getByText(/^\d+ of 60 tokens/)
      .waitFor();
    await page.getByRole("button", { name: "Reset all" }).click();
    await expect.poll(() => blocks.count()).toBe(before);
    await page.getByText("Budgets of sections").click();
    await page.getByRole("slider", { name: "Budget, Facts" }).fill("20");
    await page.getByText("It does not fit into the budget of its section").first().waitFor();

    // A section without a budget says so; its bar ends at that of the prompt, and each is reset
    // alone.
    const facts = page.locator(".budget", { hasText: "Facts" });
    const typed = page.getByRole("spinbutton", { name: "Budget in tokens, Facts" });
    await page.getByRole("button", { name: "Reset Facts" }).click();
    await facts.getByText("no budget of its own").waitFor();
    expect(await typed.inputValue()).toBe("");
    const bar = page.getByRole("slider", { name: "Budget, Facts" });
    expect(await bar.getAttribute("max")).toBe("1500");
    expect(await bar.getAttribute("aria-valuetext")).toBe("no budget of its own");
    await typed.fill("1400");
    await typed.press("Enter");
    await facts.getByText("of 1,400 tokens taken").waitFor();
    await typed.fill("99999");
    await typed.press("Enter");
    await expect.poll(() => typed.inputValue()).toBe("12000");
    await typed.fill("");
    await typed.press("Enter");
    await facts.getByText("no budget of its own").waitFor();

    await page.getByRole("textbox", { name: "Turn" }).fill("hello");
    await page.getByText("nothing was searched for").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("lists the most probable first, explains what has no probability, and folds long lists", async () => {
    const { page, complaints, close } = await visit("context?q=What+should+I+cook+for+Theo%3F");
    const groups = page.locator("section[aria-labelledby=recalled] > div");
    await groups.first().waitFor();
    const whole = page.getByRole("button", { name: /^Show all/ });
    const left = page.locator("section[aria-labelledby=left] li");
    await left.first().waitFor();
    expect(await left.count()).toBe(12);
    await page.getByText("It hardly answers the turn").first().waitFor();
    while ((await whole.count()) > 0) await whole.first().click();
    expect(await left.count()).toBeGreaterThan(12);
    const lists = await groups.evaluateAll((all) =>
      all.map((group) => ({
        name: group.querySelector("h3")!.textContent!,
        scores: Array.from(group.querySelectorAll("li"), (row) =>
          Number.parseFloat(row.querySelector(".score")?.textContent ?? "-1"),
        ),
      })),
    );
    expect(lists[0]!.name).toContain("the most probable first");
    expect(lists[0]!.scores).toEqual(lists[0]!.scores.toSorted((a, b) => b - a));
    expect(Math.min(...lists[0]!.scores)).toBeGreaterThanOrEqual(0);
    for (const { name, scores } of lists.slice(1)) {
      expect(name).toContain("not searched for");
      expect(new Set(scores)).toEqual(new Set([-1]));
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("has no faults in either theme, narrow or wide; a wrong address does no harm", async () => {
    const wrong = "context?budgets=nothing*3*total*x*facts*-5&q=What+did+we+do+in+Oban%3F";
    const { page, complaints, close } = await visit(wrong);
    await page.locator(".blocks section").first().waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("prompts of page and server", () => {
  it("are the same for the same export", async () => {
    await init();
    const file = at("js/page/dist/samples/trader.jsonl");
    const folder = temporaryFolder();
    const imported = spawnSync(process.execPath, [PROGRAM, "import", "--data-dir", folder, file]);
    expect(imported.status).toBe(0);
    const server = await start(folder);
    const rows = noRows();
    for (const line of readFileSync(file, "utf8").trim().split("\n")) addLine(rows, line);
    const words = new Embedder(readFileSync(at("js/embedder/tables/nous-128.bin")));
    const opening = { name: "", rows, now: null, config: {}, words, wrong: [], wrongCount: 0 };
    const held = await Held.open({ ...opening, source: "files" }, () => {});
    for (const input of [
      "What lessons did I learn about funding?",
      "why did we decide to short ETH last week",
      "how do I handle a funding squeeze, and what happened yesterday?",
      "ok",
    ]) {
      const request = { input, identity: "You are a careful trader.", budgets: { facts: 300 } };
      const there = await server.ask("POST /context", { ...request, recall: "none" });
      const here = buildContext(held, request);
      expect(here.prompt, input).toBe(there.body.prompt);
      expect(here.sections, input).toEqual(there.body.sections);
      expect(
        here.left.map(({ id, block, reason }) => ({ id, section: block, reason })),
        input,
      ).toEqual(there.body.left_out);
    }
    held.free();
  });
});
