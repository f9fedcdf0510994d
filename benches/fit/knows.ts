// `npm run fit -- knows --set automemorybench.json.gz`: fits the weights by which a memory is said
// to know an answer, and prints them: `KNOWN` of js/memory/src/knows.ts.
//
// Each row of questions counts alike, and in each what is known as much as what is not. Questions
// that are about what is stored, and that it does not answer, are left out: no weight tells them.
// So the log-odds are those of a memory that knows every second answer. From {@link ENOUGH} on a
// yes is right about as often as it was by the best memory alone, on the rows it is fitted on: that
// is moved to `ANSWERABLE`.

import { parseArgs } from "node:util";
import { logOdds } from "nous-memory";
import { ANSWERABLE } from "nous-wasm";
import { FITTED_ROWS, type KnownCase, knownCases } from "../quality/known.ts";
import { regression } from "./regression.ts";

/** The probability by the fit that is moved to `ANSWERABLE`. */
const ENOUGH = 0.35;
const DIGITS = 3;
const { values } = parseArgs({
  options: { set: { type: "string", multiple: true, default: [] } },
});
const cases = (await knownCases(values.set)).filter(
  ({ name, kind, nearest, best }) =>
    FITTED_ROWS.has(name) && kind !== "near" && nearest !== undefined && best > 0,
);
const keyOf = ({ name, isKnown }: KnownCase) => `${name}: ${isKnown}`;
const counts = new Map<string, number>();
for (const one of cases) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
const [best, nearest, among, offset] = regression(
  cases.map((one) => ({
    values: [logOdds(one.best), one.nearest!, Math.log(one.among), 1],
    isTrue: one.isKnown,
    weight: 1 / counts.get(keyOf(one))!,
  })),
  { digits: DIGITS },
);
const moved = offset! + logOdds(ANSWERABLE) - logOdds(ENOUGH);
console.log({ best, nearest, among, offset: Number(moved.toFixed(DIGITS)) });
