// Tests that take turns: of a file that takes `describe` and `test` from here, `npm test` runs
// every second test, and of each block at least one. The seed says which half it begins with. For
// files whose tests start servers of their own, a second or more each. `npm run test:full` runs
// all.

import { describe as blockOf, test as testOf } from "vitest";
import { isFull, SEED } from "./amount.ts";

/** A block while its tests are told. */
interface Block {
  hasTest: boolean;
  /** Tells its last test whose turn it was not. */
  declined?: () => void;
}

/** The number of tests so far. */
let count = 0;
/** The file itself is a block, too. */
let current: Block = { hasTest: false };

/** Tells a test if it is its turn. A table of tests is one. */
function offer(tell: () => void): void {
  if (isFull || (count++ + SEED) % 2 === 0) {
    current.hasTest = true;
    tell();
  } else current.declined = tell;
}

/** Returns what tells the tests of a block, so that it has one. */
const withTest =
  (tell: (...row: unknown[]) => void) =>
  (...row: unknown[]): void => {
    const outer = current;
    const block: Block = { hasTest: false };
    current = block;
    tell(...row);
    if (!block.hasTest) block.declined?.();
    current = outer;
  };

type Told = (...row: unknown[]) => void;
type Named = [name: string, ...options: object[], tell: Told];
type Table = (...given: Named) => void;

/** Returns what was given, with other tests of the block. */
const ofBlock = (given: Named): Named => [
  ...(given.slice(0, -1) as [string, ...object[]]),
  withTest(given.at(-1) as Told),
];

/** `describe` of vitest for blocks whose tests take turns. */
export const describe = Object.assign(
  (...given: Named) => (blockOf as unknown as Table)(...ofBlock(given)),
  {
    each:
      (rows: readonly unknown[]) =>
      (...given: Named) =>
        (blockOf.each(rows) as unknown as Table)(...ofBlock(given)),
  },
) as unknown as typeof blockOf;

/** `test` of vitest for tests that take turns. */
export const test = Object.assign(
  (...given: Parameters<typeof testOf>) => offer(() => testOf(...given)),
  {
    each:
      (rows: readonly unknown[]) =>
      (...given: Named) =>
        offer(() => (testOf.each(rows) as unknown as Table)(...given)),
    runIf:
      (isRun: boolean) =>
      (...given: Named) =>
        offer(() => (testOf.runIf(isRun) as unknown as Table)(...given)),
  },
) as unknown as typeof testOf;
