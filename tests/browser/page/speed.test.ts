// The view Speed: all contestants of a size on one scale, the fastest marked, the result in words.

import { describe, expect, it } from "vitest";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const { visit } = sharedPage();

/** A measurement takes twenty seconds, and longer on a busy machine. */
const PATIENT = { timeout: 90_000 };

describe("the view Speed", () => {
  it("says so if its code does not come", async () => {
    const { page, close } = await visit("speed");
    await page.route(/speed-worker/, (route) => route.abort());
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByRole("alert").getByText("its code could not be loaded").waitFor();
    await page.getByRole("button", { name: "Measure" }).waitFor();
    await close();
  });

  it("marks the fastest of each size, and says the result in words", async () => {
    const { page, complaints, close } = await visit("speed");
    // Browsers round in their own ways: no result differs because of that.
    await page.route(/speed-worker/, async (route) => {
      const code = await (await route.fetch()).text();
      const rounded = ["exp", "log", "pow"].map(
        (name) => `{const own=Math.${name};Math.${name}=(...x)=>own(...x)*(1+2**-52)}`,
      );
      await route.fulfill({ contentType: "text/javascript", body: rounded.join("") + code });
    });
    // It starts with a sentence and a button.
    expect(await page.locator(".speed .lead").innerText()).toMatch(/^[^.]+\.$/);
    expect(await page.locator(".speed").getByRole("button").count()).toBe(1);
    expect(await page.locator(".contest").count()).toBe(0);
    // With the keyboard alone.
    await page.getByRole("button", { name: "Measure" }).focus();
    await page.keyboard.press("Enter");
    const told = page.locator(".intro [role=status]");
    await expect.poll(() => told.innerText(), PATIENT).toMatch(/^Done\./);
    // The default ranking first.
    expect(await told.innerText()).toMatch(
      /^Done\. To answer a question to 1,000 memories, nous-wasm takes [\d.]+\s.s: [\d.]+× faster/,
    );
    expect(await told.innerText()).toMatch(/To rank 10,000 candidates, .+ takes [\d.]+\s.s: /);
    const races = page.locator(".race");
    expect(await races.count()).toBe(13);
    expect(await page.locator(".differs").count()).toBe(0);
    for (const race of await races.all()) {
      const lengths = await race
        .locator(".length i")
        .evaluateAll((bars) =>
          bars.map((bar) => Number.parseFloat((bar as HTMLElement).style.width)),
        );
      // One scale: the slowest has the whole width, and the fastest the least of it.
      expect(Math.max(...lengths)).toBe(100);
      const marked = await race
        .locator("li")
        .evaluateAll((items) => items.map((item) => item.className === "fastest"));
      // Two may take equally long: a browser's clock has coarse steps.
      const ofMarked = lengths.filter((_, place) => marked[place]);
      expect(ofMarked.length).toBeGreaterThan(0);
      expect(new Set(ofMarked)).toEqual(new Set([Math.min(...lengths)]));
      const words = await race.locator(".ratio").allInnerTexts();
      for (const text of words) expect(text).not.toMatch(/[^\d]0\.\d/);
    }
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
