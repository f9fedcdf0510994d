// Tests of the full tier alone: what they show, another test shows in each tier, at less cost.

import { test } from "vitest";
import { isFull } from "./amount.ts";

/** Stands for `test` or `describe` where a run does not have the tests. */
export const none = Object.assign(() => {}, { each: () => () => {}, runIf: () => () => {} });

/** `test` in `npm run test:full`; `npm test` does not have these tests. */
export const testInFull = (isFull ? test : none) as typeof test;
