// What a question may ask of a memory, as tests for the lists of facts.ts.

import { DAY } from "../../js/demo/sample/market.ts";
import type { Facts, Known } from "./facts.ts";

type Test<Fields> = (one: Fields) => boolean;

/** Stored within so many days before the end. */
export function within(days: number, { at }: Facts): Test<Known> {
  return ({ made }) => made > at - days * DAY;
}

/** Stored on a day, in a month or in a year: as much of 2026-03-14 as is given. */
export function on(day: string): Test<Known> {
  return ({ node }) => node.provenance_created_at.startsWith(day);
}

export function titled(pattern: RegExp): Test<Known> {
  return ({ node }) => pattern.test(node.content_title);
}

export function says(pattern: RegExp): Test<Known> {
  return ({ node }) => pattern.test(node.content_title) || pattern.test(node.content_body);
}

/** Has one of these tags. */
export function tagged(...tags: string[]): Test<Known> {
  return ({ node }) => tags.some((tag) => node.tags.includes(tag));
}

/** Of one of these subtypes, named without `custom:`. */
export function isA(...subtypes: string[]): Test<Known> {
  return ({ node }) => subtypes.includes(node.subtype.slice("custom:".length));
}

/** Of one of these coins. */
export function of(...symbols: string[]): Test<{ symbol: string | null }> {
  return ({ symbol }) => symbol !== null && symbols.includes(symbol);
}

/** Of one of these setups. */
export function about(...setups: string[]): Test<{ setup: string | null }> {
  return ({ setup }) => setup !== null && setups.includes(setup);
}

/** A lesson or a curiosity on one of these topics. */
export function topic(...topics: string[]): Test<{ topic: string }> {
  return (one) => topics.includes(one.topic);
}

/** An event or a turn of one of these kinds. */
export function occurred(...kinds: string[]): Test<{ kind: string }> {
  return ({ kind }) => kinds.includes(kind);
}

/** A signal of one of these types. */
export function anomaly(...types: string[]): Test<{ anomaly_type: string }> {
  return ({ anomaly_type }) => types.includes(anomaly_type);
}

/** A trade that is still on. */
export function open({ outcome }: { outcome: string }): boolean {
  return outcome === "open";
}

/** A thesis that is not decided. */
export function standing({ status }: { status: string }): boolean {
  return status === "open";
}

/** A watchpoint that is neither reached nor run out at the end. */
export function armed({ at }: Facts): Test<{ triggered_at: number | null; expires_at: number }> {
  return ({ triggered_at, expires_at }) => triggered_at === null && expires_at > at;
}

export function either<One>(...tests: Test<One>[]): Test<One> {
  return (one) => tests.some((test) => test(one));
}

/** Closes by their result in dollars. */
export function worstFirst<Close extends { pnl_usd: number | null }>(
  closes: readonly Close[],
): readonly Close[] {
  return [...closes].sort((a, b) => (a.pnl_usd ?? 0) - (b.pnl_usd ?? 0));
}
