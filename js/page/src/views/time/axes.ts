// Axes of the charts: time, days since an access, shares and counts.

import { utcTicks } from "d3-time";
import type uPlot from "uplot";
import { count, dayOf, MONTHS } from "../../app/format.ts";

/** Width of the axis at the left, with its label: time.css aligns the slider with the picture. */
const LEFT = { size: 44, labelSize: 18 };
const RIGHT = 12;
/** Pixels for a label of the axis of time. */
const ROOM = 76;
const DAYS = [0.25, 1, 7, 30, 90, 365, 1460];

export const PADDING: uPlot.Padding = [10, RIGHT, 0, 0];

/** A label of the axis of time: the year in January, else the month; days where they are near. */
function timeLabel(at: number, isNear: boolean): string {
  const date = new Date(at);
  if (isNear) return dayOf(at).replace(/ \d+$/, "");
  const month = date.getUTCMonth();
  return month === 0 ? String(date.getUTCFullYear()) : MONTHS[month]!;
}

export const timeAxis = (): uPlot.Axis => ({
  size: 32,
  splits: (chart, _, min, max) =>
    utcTicks(new Date(min), new Date(max), Math.max(2, Math.floor(chart.width / ROOM))).map(Number),
  values: (_, splits) => {
    const isNear = splits.length > 1 && splits[1]! - splits[0]! < 25 * 86_400_000;
    return splits.map((at) => timeLabel(at, isNear));
  },
});

export const sinceAxis = (): uPlot.Axis => ({
  size: 30,
  label: "days since the last access",
  splits: () => DAYS,
  filter: (_, splits) => splits,
  values: (_, splits) => splits.map((days) => (days < 1 ? "¼" : count(days))),
});

export const shareAxis = (): uPlot.Axis => ({
  ...LEFT,
  label: "retrievability",
  splits: () => [0, 0.25, 0.5, 0.75, 1],
  values: (_, splits) => splits.map((share) => `${share * 100} %`),
});

/** Returns a count as short as the axis is narrow: "8,000", "100k". */
const short = (value: number): string =>
  value < 10_000 ? count(value) : `${count(value / 1000)}k`;

export const countAxis = (): uPlot.Axis => ({
  ...LEFT,
  label: "memories",
  values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? short(value) : "")),
});
