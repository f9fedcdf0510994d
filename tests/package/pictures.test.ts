// The README's pictures show what the engine computes now.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { life } from "../../js/scripts/pictures/life.ts";

test("the life of a memory is drawn as the functions compute it (else: npm run pictures)", async () => {
  expect(await life()).toBe(readFileSync("docs/life-of-a-memory.svg", "utf8"));
});
