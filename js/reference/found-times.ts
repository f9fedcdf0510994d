// Expressions of time with their ranges: those that the package finds. Their rules have no twin;
// `tests/golden/times.json` holds cases by hand, and `generated_times.json` recorded ones.

import { type TimeExpression, understand } from "nous-wasm";
import { type Token, tokensOf } from "./times.ts";

/** The expressions of time in a text, relative to an instant in milliseconds since 1970. */
export const findTimes = (text: string, now: number): TimeExpression[] =>
  understand(text, { now }).times!;

/**
 * Whether a text holds any expression of time: also durations, parts of the day and vague words.
 */
export function holdsTime(text: string): boolean {
  const tokens = tokensOf(text);
  const textAt = (at: number): string => tokens[at]?.text ?? "";
  const isHyphen = (at: number): boolean => isMark(tokens[at], "-");
  return (
    tokens.some(({ word }, at) => {
      if (word.is === "vague") return true;
      if (word.is === "part" && !/^(?:[Gg]ood|[Gg]uten?)$/.test(textAt(at - 1))) return true;
      const next = behindDuration(tokens, at);
      if (next === undefined) return false;
      const behind = textAt(isHyphen(next) ? next + 1 : next);
      return !(behind === "old" || (behind === "alt" && !isHyphen(next)));
    }) || findTimes(text, 0).length > 0
  );
}

const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.word.is === "mark" && marks.includes(token.text);

/** The place behind a number of units that begins at a place: "three years", "a few days". */
function behindDuration(tokens: readonly Token[], at: number): number | undefined {
  const is = (place: number): string => tokens[place]?.word.is ?? "end";
  const isUnit = (place: number) => ["unit", "year_mark", "day_mark"].includes(is(place));
  // "Half a year", "a half year".
  const half = is(at) === "a" ? at + 1 : at;
  const ofHalf = is(half + 1) === "a" ? half + 2 : half + 1;
  if (is(half) === "half" && isUnit(ofHalf))
    return begins(tokens, at) && ends(tokens, ofHalf + 1) ? ofHalf + 1 : undefined;
  if (!["a", "count", "number"].includes(is(at))) return undefined;
  const behind = tokens[at + 1]?.word;
  // "A couple".
  let next = is(at) === "a" && behind?.is === "count" && behind.n === 2 ? at + 2 : at + 1;
  // "One and a half years", "a year and a half".
  const isAndHalf = (place: number) =>
    ["and", "a", "half"].every((kind, step) => is(place + step) === kind);
  let last = next + 3;
  if (!isAndHalf(next) || !isUnit(last)) {
    if (is(next) === "of") next++;
    if (!isUnit(next)) return undefined;
    const isHalved = isAndHalf(next + 1) && !isUnit(next + 4);
    last = isHalved ? next + 3 : next;
    const isShort = ["second", "minute"].includes(tokens[next]!.word.unit ?? "");
    if (is(at) === "a" && last === next && next === at + 1 && isShort) return undefined;
  }
  return begins(tokens, at) && ends(tokens, last + 1) ? last + 1 : undefined;
}

const endsInDigit = (token: Token | undefined): boolean => /[0-9]$/.test(token?.text ?? "");

/** Whether an expression may begin at a place: not in "$5 years", "1.5 years". */
function begins(tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]!];
  if (before === undefined || !token.attached || token.unspaced) return true;
  if (before.word.is !== "mark") return before.unspaced;
  if ("$€£¥#@+".includes(before.text)) return false;
  const joins = isMark(before, ".,:/-") && token.word.is === "number";
  return !(joins && before.attached && endsInDigit(tokens[at - 2]));
}

/** Whether an expression may end before a place. */
function ends(tokens: readonly Token[], next: number): boolean {
  const [last, token, behind] = [tokens[next - 1]!, tokens[next], tokens[next + 1]];
  if (token === undefined || !token.attached || token.unspaced || last.unspaced) return true;
  if (token.word.is !== "mark") return false;
  if (!endsInDigit(last)) return true;
  if ("%$€£¥".includes(token.text)) return false;
  return !(isMark(token, ".,:/-") && behind?.attached === true && endsInDigit(behind));
}
