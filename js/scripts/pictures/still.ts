// Waits until the page stands still, so that no picture of it is half drawn.

import type { Page } from "playwright-core";

/** How many looks may differ while the page seems to have nothing to do. */
const MAX_LOOKS = 120;
/** How long work may bring nothing, in milliseconds: on a busy machine vectors come seldom. */
const STALLED = 120_000;

/**
 * Returns the page as PNG when no vector is missing, and two looks at it are the same.
 *
 * @param rest The time between two looks, in milliseconds.
 * @throws If it does not come to rest, or if what it waits for does not come.
 */
export async function still(page: Page, rest: number): Promise<Buffer> {
  let [before, told]: [Buffer | undefined, string] = [undefined, ""];
  let [looks, changed] = [0, Date.now()];
  while (looks < MAX_LOOKS) {
    await page.waitForTimeout(rest);
    const now = await page.screenshot();
    const busy = await page.locator("aside.meaning, .loading").allInnerTexts();
    if (busy.length === 0) {
      if (before?.equals(now)) return now;
      looks += 1;
    } else if (busy.join() !== told) {
      told = busy.join();
      changed = Date.now();
    } else if (Date.now() - changed > STALLED) {
      throw new Error(`The page waits for what does not come: ${told}`);
    }
    before = now;
  }
  throw new Error("The page does not come to rest");
}
