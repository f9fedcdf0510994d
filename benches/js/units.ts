// Formats quantities for the tables of the benches.

import type { Ratio } from "./compare.ts";

const UNITS = [
  [1e3, "µs"],
  [1e6, "ms"],
  [1e9, "s"],
] as const;

/** Returns a duration with its unit: ns, µs, ms or s. */
export function duration(nanoseconds: number): string {
  if (nanoseconds < 999.5) return `${nanoseconds.toFixed(nanoseconds < 10 ? 1 : 0)} ns`;
  // A value that rounds to a thousand is shown as one of the next unit.
  const [size, unit] = UNITS.find(([size]) => nanoseconds < 999.5 * size) ?? UNITS[2];
  return `${(nanoseconds / size).toPrecision(3)} ${unit}`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** Returns an amount a second, such as 2,340,000 nodes a second. */
export function perSecond(amount: number, nanoseconds: number, what: string): string {
  return `${whole(Number(((amount / nanoseconds) * 1e9).toPrecision(3)))} ${what} a second`;
}

/** Returns bytes a second. A byte in a nanosecond is a gigabyte in a second. */
export function throughput(bytes: number, nanoseconds: number): string {
  return `${(bytes / nanoseconds).toPrecision(3)} GB/s`;
}

/** Returns a whole number with commas: 10,000. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** Returns a ratio with its interval: 24.22× (20.19–35.21). */
export function times({ median, low, high }: Ratio): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** Returns the value below which this share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
