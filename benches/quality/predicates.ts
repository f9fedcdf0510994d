// Predicates over the lists of facts.ts, from which questions get their answers.

import { DAY } from "../../js/sample/trader/market.ts";
import type { Facts, Known } from "./facts.ts";

type Test<Fields> = (one: Fields) => boolean;

/** Matches memories stored within the last `days` days of the sample. */
export function within(days: number, { at }: Facts): Test<Known> {
  return ({ made }) => made > at - days * DAY;
}

/** Matches memories stored on a day, in a month or in a year, by the given prefix of 2026-03-14. */
export function on(day: string): Test<Known> {
  return ({ node }) => node.provenance_created_at.startsWith(day);
}

export function titled(pattern: RegExp): Test<Known> {
  return ({ node }) => pattern.test(node.content_title);
}

export function says(pattern: RegExp): Test<Known> {
  return ({ node }) => pattern.test(node.content_title) || pattern.test(node.content_body);
}

/** Matches memories with one of these tags. */
export function tagged(...tags: string[]): Test<Known> {
  return ({ node }) => tags.some((tag) => node.tags.includes(tag));
}

/** Matches memories of one of these subtypes, named without `custom:`. */
export function isA(...subtypes: string[]): Test<Known> {
  return ({ node }) => subtypes.includes(node.subtype.slice("custom:".length));
}

/** Matches memories of one of these coins. */
export function of(...symbols: string[]): Test<{ symbol: string | null }> {
  return ({ symbol }) => symbol !== null && symbols.includes(symbol);
}

/** Matches memories of one of these setups. */
export function about(...setups: string[]): Test<{ setup: string | null }> {
  return ({ setup }) => setup !== null && setups.includes(setup);
}

/** Matches lessons and curiosities on one of these topics. */
export function topic(...topics: string[]): Test<{ topic: string }> {
  return (one) => topics.includes(one.topic);
}

/** Matches events and turns of one of these kinds. */
export function occurred(...kinds: string[]): Test<{ kind: string }> {
  return ({ kind }) => kinds.includes(kind);
}

/** Matches signals of one of these types. */
export function anomaly(...types: string[]): Test<{ anomaly_type: string }> {
  return ({ anomaly_type }) => types.includes(anomaly_type);
}

/** Matches trades that are still open. */
export function open({ outcome }: { outcome: string }): boolean {
  return outcome === "open";
}

/** Matches theses without a verdict. */
export function standing({ status }: { status: string }): boolean {
  return status === "open";
}

/** Matches watchpoints that are neither reached nor expired at the end. */
export function armed({ at }: Facts): Test<{ triggered_at: number | null; expires_at: number }> {
  return ({ triggered_at, expires_at }) => triggered_at === null && expires_at > at;
}

export function either<One>(...tests: Test<One>[]): Test<One> {
  return (one) => tests.some((test) => test(one));
}

/** Sorts closes by their result in dollars, worst first. */
export function worstFirst<Close extends { pnl_usd: number | null }>(
  closes: readonly Close[],
): readonly Close[] {
  return [...closes].sort((a, b) => (a.pnl_usd ?? 0) - (b.pnl_usd ?? 0));
}
