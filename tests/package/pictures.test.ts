// The pictures of the documents: one shows what the engine computes now, one is a recording.

import { readFileSync, statSync } from "node:fs";
import sharp from "sharp";
import { expect, test } from "vitest";
import { life } from "../../js/scripts/pictures/life.ts";

test("the life of a memory is drawn as the functions compute it (else: npm run pictures)", async () => {
  expect(await life()).toBe(readFileSync("docs/life-of-a-memory.svg", "utf8"));
});

test("README's recording moves for 10 to 20 seconds, in at most 1.5 MB, and says what happens", async () => {
  const readme = readFileSync("README.md", "utf8");
  const { src, alt } = /<img src="(?<src>[^"]+)" alt="(?<alt>[^"]+)">/.exec(readme)!.groups!;
  expect(statSync(src!).size).toBeLessThanOrEqual(1_500_000);
  const { pages, delay, loop } = await sharp(src!, { animated: true }).metadata();
  expect(pages).toBeGreaterThan(20);
  expect(loop, "it does not end").toBe(0);
  const shown = delay!.reduce((sum, one) => sum + one);
  expect(shown).toBeGreaterThanOrEqual(10_000);
  expect(shown).toBeLessThanOrEqual(20_000);
  for (const said of ["I live in Graz.", "I moved to Salzburg in May.", "Where do I live?"])
    expect(alt).toContain(said);
  // Who wants no motion sees a picture that stands still.
  const still = /media="\(prefers-reduced-motion: reduce\)" srcset="([^"]+)"/.exec(readme)![1]!;
  expect((await sharp(still).metadata()).pages).toBeUndefined();
});
