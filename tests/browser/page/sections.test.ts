// The view Sections: sliders move the answers at once, the address keeps them, the server reads
// what is exported, and other views keep the usual weights unless the visitor says otherwise.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PROGRAM } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const QUESTION = "Which milk should I buy for Theo?";
const AT = `sections?q=${encodeURIComponent(QUESTION)}`;
const { url, visit } = sharedPage();

const slider = (page: Page, name: string) => page.getByRole("slider", { name, exact: true });
const listed = (page: Page) =>
  page
    .locator(".moved li")
    .evaluateAll((items) => items.map((item) => item.getAttribute("data-id")));
const yaml = async (page: Page) =>
  page.getByRole("textbox", { name: "Configuration as YAML" }).inputValue();

describe("weights of evidence", () => {
  it("of an address are those of its kinds and settings alone, whatever objects have by nature", async () => {
    const { page, complaints, close } = await visit(
      `${AT}&w=toString*2&profiles=EPISODIC.constructor*1`,
    );
    await page.locator(".moved li").first().waitFor();
    expect(await page.getByRole("button", { name: "Reset all" }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it("move the answers, and stay out of other views until the visitor says so", async () => {
    const { page, complaints, close } = await visit(AT);
    await page.locator(".moved li").first().waitFor();
    const byDefault = await listed(page);
    expect(await page.locator(".moved .move").count()).toBe(0);
    // With the keyboard alone.
    await slider(page, "Recency, Episodic").focus();
    await page.keyboard.press("End");
    await expect.poll(() => listed(page)).not.toEqual(byDefault);
    const moved = await listed(page);
    await page.locator(".moved .move").first().waitFor();
    await expect.poll(() => page.url()).toContain("w=recency_episodic*4");
    expect(parse(await yaml(page))).toEqual({ evidence: { weights: { recency_episodic: 4 } } });
    await page.reload();
    await page.locator(".moved li").first().waitFor();
    await expect.poll(() => listed(page)).toEqual(moved);

    const answers = () =>
      page
        .locator(".answer")
        .evaluateAll((items) => items.map((item) => item.getAttribute("data-id")));
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.locator(".answer").first().waitFor();
    expect((await answers()).slice(0, 3)).toEqual(byDefault.slice(0, 3));
    await page.getByRole("link", { name: "Under the hood" }).click();
    await page.getByRole("checkbox", { name: "Use for all views" }).press("Space");
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await expect.poll(async () => (await answers()).slice(0, 3)).toEqual(moved.slice(0, 3));
    await page.getByText("Changed weights").getByRole("button", { name: "Reset" }).click();
    await expect.poll(async () => (await answers()).slice(0, 3)).toEqual(byDefault.slice(0, 3));
    await expect.poll(() => page.url()).not.toContain("w=");
    expect(complaints).toEqual([]);
    await close();
  });

  // How long one ranking takes is measured by the benches: a test does not know its machine.
  it("re-rank ten thousand memories with each move of a slider", async () => {
    const { page, complaints, close } = await visit(`${AT}&size=10000`);
    await page.getByText("Ranked 10,000 memories").waitFor();
    const recency = slider(page, "Recency, Episodic");
    const shown: Record<string, Awaited<ReturnType<typeof listed>>> = {};
    for (let move = 0; move < 10; move++) {
      const before = await listed(page);
      const end = move % 2 === 0 ? "End" : "Home";
      await recency.press(end);
      await expect.poll(() => listed(page)).not.toEqual(before);
      shown[end] ??= await listed(page);
      expect(await listed(page)).toEqual(shown[end]);
    }
    await page.getByRole("button", { name: "Back to the memory that is open" }).click();
    await page.getByText(/Ranked \d{3} memories/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("profiles for the ranking by signals", () => {
  it("show no answers of the other ranking while theirs are under way", async () => {
    const { page, close } = await visit(AT);
    await page.locator(".moved li").first().waitFor();
    // What the list shows at each moment.
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const look = () => {
        const isBySignals = document.querySelector<HTMLInputElement>(
          ".switch label:last-child input",
        )!.checked;
        const { textContent } = document.querySelector(".results .verdict") ?? {};
        // By signals the best are ranked, by evidence all.
        if (textContent != null)
          seen.push(`${isBySignals ? "signals" : "evidence"}: ${/ of /.test(textContent)}`);
      };
      new MutationObserver(look).observe(document.querySelector(".sections")!, {
        ...{ childList: true, subtree: true, characterData: true },
      });
    });
    const both = () => page.evaluate(() => [...new Set((globalThis as { seen?: string[] }).seen)]);
    await page.getByRole("radio", { name: "By six signals" }).press("Space");
    await expect.poll(both).toContain("signals: true");
    await page.getByRole("radio", { name: "By evidence" }).press("Space");
    await expect.poll(both).toContain("evidence: false");
    expect((await both()).sort()).toEqual(["evidence: false", "signals: true"]);
    await close();
  });

  it("are exported as the server reads them", async () => {
    const at = `${AT}&by=signals`;
    const { page, complaints, close } = await visit(at);
    await page.locator(".moved li").first().waitFor();
    const byDefault = await listed(page);
    await slider(page, "Recency, Knowledge").fill("0.6");
    await slider(page, "Boost, Procedural").fill("2");
    await slider(page, "First stability, Signals").fill("365");
    await slider(page, "Active above, Episodic").fill("0.05");
    await slider(page, "Recency, Episodic").fill("1");
    await expect.poll(() => listed(page)).not.toEqual(byDefault);
    const text = await yaml(page);
    const { profiles } = parse(text).sections;
    const sums = ["KNOWLEDGE", "EPISODIC"].map((section) =>
      Object.values<number>(profiles[section].reranking_weights).reduce((sum, one) => sum + one),
    );
    for (const sum of sums) expect(sum).toBeCloseTo(1, 9);
    expect(profiles.PROCEDURAL).toEqual({ intent_boost: 2 });
    expect(profiles.EPISODIC.decay).toEqual({ active_threshold: 0.05, weak_threshold: 0.04 });
    const file = join(temporaryFolder(), "nous.yaml");
    writeFileSync(file, text);
    const checked = spawnSync(process.execPath, [PROGRAM, "config", "--config", file], {
      encoding: "utf8",
    });
    expect(checked.stderr).toBe("");
    expect(parse(checked.stdout).sections).toEqual({ profiles });
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "Reset all" }).click();
    await expect.poll(() => listed(page)).toEqual(byDefault);
    expect(complaints).toEqual([]);
    await close();
  });

  it("have no faults in either theme, narrow or wide; a wrong address does no harm", async () => {
    const wrong = "w=nonsense*1*intent*x*recency_signals&profiles=EPISODIC.weights*1-2*NO.boost*2";
    const { page, complaints, close } = await visit(`${AT}&${wrong}`);
    const faults: string[] = [];
    for (const by of ["evidence", "signals"]) {
      await page
        .getByRole("radio", { name: by === "evidence" ? "By evidence" : "By six signals" })
        .press("Space");
      await slider(page, by === "evidence" ? "Recency, Episodic" : "Meaning, Episodic").waitFor();
      await page.locator(".moved li").first().waitFor();
      expect(await page.getByRole("button", { name: "Reset all" }).isDisabled()).toBe(true);
      faults.push(...(await faultsInAllLooks(page)).map((fault) => `${by}, ${fault}`));
    }
    expect(faults).toEqual([]);
    // Settings that the engine refuses are told, and can be reset.
    await page.goto(`${url()}#/${AT}&by=signals&profiles=EPISODIC.weak*0.9`);
    await page.getByRole("alert").waitFor();
    // A click waits for two frames, which a busy machine may not draw.
    await page.getByRole("button", { name: "Reset all" }).press("Enter");
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });
});
