// Quantities as the tables of the benches show them.

import type { Ratio } from "./compare.ts";

export function duration(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(nanoseconds < 10 ? 1 : 0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toPrecision(3)} µs`;
  if (nanoseconds < 1e9) return `${(nanoseconds / 1e6).toPrecision(3)} ms`;
  return `${(nanoseconds / 1e9).toPrecision(3)} s`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** How much of something passes in a second: 2,340,000 nodes a second. */
export function perSecond(amount: number, nanoseconds: number, what: string): string {
  return `${whole(Number(((amount / nanoseconds) * 1e9).toPrecision(3)))} ${what} a second`;
}

/** Bytes by the time they take. A byte in a nanosecond is a gigabyte in a second. */
export function throughput(bytes: number, nanoseconds: number): string {
  return `${(bytes / nanoseconds).toPrecision(3)} GB/s`;
}

/** With commas: 10,000. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** A ratio with its interval: 24.22× (20.19–35.21). */
export function times({ median, low, high }: Ratio): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** The value below which such a share of all is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
