// The frame of the page: it opens with an answer, asks nobody else, works from the keyboard and
// without a network, and its first load is small.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const VIEWS = ["ask", "why-not", "context", "sections", "time", "graph", "speed", "memories"];
const FOLDER = fileURLToPath(new URL("../../../js/page/dist", import.meta.url));

const { url, visit } = sharedPage();

describe("the frame", () => {
  it("opens on Ask with an answer, and asks no other origin", async () => {
    const { page, complaints, requests, close } = await visit("");
    await page.locator(".answer").first().waitFor();
    expect(await page.title()).toBe("Ask · Nous");
    expect(await page.locator(".answer").count()).toBeGreaterThan(0);
    expect(requests.filter((each) => !each.startsWith(url()))).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows every view without a complaint, in both themes, narrow and wide", async () => {
    const { page, complaints, close } = await visit("ask");
    const faults: string[] = [];
    for (const view of VIEWS) {
      await page.goto(`${url()}#/${view}`);
      await page.locator(`nav a[aria-current][href^="#/${view}"]`).waitFor();
      await page.locator("h1").first().waitFor({ state: "attached" });
      faults.push(...(await faultsInAllLooks(page)).map((fault) => `${view}, ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows the tab of the open view on a telephone, and that there are more", async () => {
    for (const [view, before, after] of [
      ["ask", "false", "true"],
      ["time", "true", "true"],
      ["memories", "true", "false"],
    ]) {
      const { page, close } = await visit(view!, { width: 360 });
      const seen = () =>
        page.evaluate(() => {
          const tab = document.querySelector("nav a[aria-current]")!.getBoundingClientRect();
          const { before, after } = document.querySelector<HTMLElement>(".top nav")!.dataset;
          return { isIn: tab.left >= 0 && tab.right <= innerWidth, before, after };
        });
      await expect.poll(seen, { message: view! }).toEqual({ isIn: true, before, after });
      await close();
    }
  });

  it("works from the keyboard: skip link, navigation, theme", async () => {
    const { page, close } = await visit("speed");
    await page.keyboard.press("Tab");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.getByRole("link", { name: "Ask", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".answer").first().waitFor();
    await page.getByRole("button", { name: "Switch to dark colours" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await close();
  });

  it("opens without a network after the first visit", async () => {
    const { page, complaints, close } = await visit("ask");
    await page.evaluate(() => navigator.serviceWorker.ready);
    // The first visit is not controlled until the worker has claimed it; then tables and samples
    // that were fetched before are fetched, and kept, once more.
    await page.reload();
    await page.locator(".answer").first().waitFor();
    await page.context().setOffline(true);
    await page.reload();
    await page.locator(".answer").first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("keeps its first load below 400 KB compressed, without word table and sample", async () => {
    const { page, requests, close } = await visit("ask");
    await page.locator(".answer").first().waitFor();
    const paths = new Set(requests.map((url) => new URL(url).pathname));
    await close();
    const sizes = [...paths]
      .filter((path) => !/\.bin$|^\/samples\//.test(path))
      .map((path) => join(FOLDER, path === "/" ? "index.html" : path))
      .map((file) => (isFile(`${file}.br`) ? `${file}.br` : file))
      .filter(isFile)
      .map((file) => statSync(file).size);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(200_000);
    expect(total).toBeLessThan(400_000);
  });
});

const isFile = (path: string): boolean =>
  readdirSync(join(path, "..")).includes(path.slice(path.lastIndexOf("/") + 1));
