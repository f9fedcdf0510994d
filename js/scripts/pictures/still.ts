// Waits for the page, so that no picture of it is half drawn. What takes long on a busy machine may
// take long: a wait ends if nothing has changed for two minutes, and not after a fixed time.

import type { Page } from "playwright-core";

/** How many looks may differ while the page seems to have nothing to do. */
const MAX_LOOKS = 120;
/** How long nothing may change, in milliseconds; also how long a single step may take. */
export const PATIENCE = 120_000;
const BETWEEN = 250;
/** What tells that the page works: vectors that are missing, or a memory that opens. */
const WORK = "aside.meaning, .loading";

/**
 * Waits until `tell` returns an empty text.
 *
 * @throws If it returns the same text for too long.
 */
export async function whileTold(page: Page, tell: () => Promise<string>): Promise<void> {
  let [before, since] = ["", Date.now()];
  for (let told = await tell(); told !== ""; told = await tell()) {
    if (told !== before) [before, since] = [told, Date.now()];
    if (Date.now() - since > PATIENCE)
      throw new Error(`The page waits for what does not come: ${told}`);
    await page.waitForTimeout(BETWEEN);
  }
}

/**
 * Returns the page as PNG when it has nothing to do, and two looks at it are the same.
 *
 * @param rest The time between two looks, in milliseconds.
 */
export async function still(page: Page, rest: number): Promise<Buffer> {
  const work = async () => (await page.locator(WORK).allInnerTexts()).join("\n");
  let before: Buffer | undefined;
  for (let look = 0; look < MAX_LOOKS; look++) {
    await whileTold(page, work);
    await page.waitForTimeout(rest);
    const now = await page.screenshot();
    if (before?.equals(now) && (await work()) === "") return now;
    before = now;
  }
  throw new Error("The page does not come to rest");
}
