// The day that the view shows. The address holds it once the slider rests: browsers refuse
// addresses that change with each frame.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { param } from "../../app/address.ts";
import { opened } from "../../memory/client.ts";
import type { Curve } from "../../memory/life.ts";

export const DAY = 86_400_000;
/** How far the slider goes beyond the present. */
const AHEAD = 2 * 365 * DAY;

const kept = param("day", "");
const moved = signal<string | null>(null);
const chosenCurve = param("curve", "exponential");

/** The forgetting curve that the view computes with. */
export const curve: ReadonlySignal<Curve> = computed(() =>
  chosenCurve.value === "fsrs6" ? "fsrs6" : "exponential",
);
export const chooseCurve = (next: Curve): void => chosenCurve.set(next);

const isoOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
/** Returns the number of a day: days since 1970. */
export const numberOf = (instant: number): number => Math.floor(instant / DAY);

export interface Span {
  /** The first and the last day, by their numbers. */
  first: number;
  last: number;
  /** The present of the memory. */
  now: number;
}

/** From the first memory to two years after the present. */
export const span: ReadonlySignal<Span> = computed(() => {
  const state = opened.value;
  const summary = state.state === "open" ? state.summary : undefined;
  const now = summary?.now ?? Date.now();
  const first = Math.min(summary?.first ?? now, now);
  // Some memories tell of no time of their making.
  const start = Number.isFinite(first) && first > 0 ? first : now - 365 * DAY;
  return { first: numberOf(start), last: numberOf(now + AHEAD), now };
});

/** The day, by its number. */
export const dayNumber: ReadonlySignal<number> = computed(() => {
  const { first, last, now } = span.value;
  const found = Date.parse(moved.value ?? kept.value);
  return Number.isNaN(found) ? numberOf(now) : Math.min(Math.max(numberOf(found), first), last);
});

/** Returns the instant that stands for a day: the present for today, else the end of the day. */
export function instantOf(day: number): number {
  const { now } = span.value;
  return day === numberOf(now) ? now : (day + 1) * DAY - 1;
}

/** The instant that the view shows. */
export const instant: ReadonlySignal<number> = computed(() => instantOf(dayNumber.value));
export const isToday: ReadonlySignal<boolean> = computed(
  () => dayNumber.value === numberOf(span.value.now),
);

/** Time without a move after which the address gets the day. */
const REST = 250;
let rest: ReturnType<typeof setTimeout> | undefined;

/** Moves to a day. */
export function moveTo(day: number): void {
  const { first, last } = span.peek();
  moved.value = isoOf(Math.min(Math.max(Math.round(day), first), last) * DAY);
  clearTimeout(rest);
  rest = setTimeout(() => {
    kept.set(isToday.peek() ? "" : moved.peek()!);
    moved.value = null;
  }, REST);
}

const BETWEEN = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });

/** Returns how far a day is from the present: "in 5 months", "3 days ago". */
export function distance(day: number): string {
  const days = day - numberOf(span.value.now);
  const away = Math.abs(days);
  if (away < 45) return BETWEEN.format(days, "day");
  if (away < 548) return BETWEEN.format(Math.round(days / 30.44), "month");
  return BETWEEN.format(Math.round(days / 365.25), "year");
}
