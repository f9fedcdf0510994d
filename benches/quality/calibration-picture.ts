// Draws reliability diagrams: for each set of questions, the share of results that answer over
// their mean score. Points on the diagonal are those of perfect probabilities.

import { COLOURS, draw } from "../../js/scripts/pictures/draw.ts";
import { type Bin, binsOf, calibrationError } from "./calibration.ts";
import { EVIDENCE } from "./contestants.ts";
import { type Part, results } from "./measure.ts";

const PANELS_A_ROW = 3;
/** The width and height of a panel, in pixels. */
const SIDE = 150;
/** The area of the smallest and of the largest point, in square pixels. */
const AREAS = [8, 160];
const TICKS = [0, 0.5, 1];

/** Returns a panel for each set that evidence answered, as SVG. */
export function calibrationPicture(parts: readonly Part[]): Promise<string> {
  const panels = parts.flatMap(({ title, cases, measured }) => {
    const own = measured.find(({ system }) => system.name === EVIDENCE);
    return own === undefined ? [] : panel(title, binsOf(results(cases, own.found)));
  });
  return draw({
    title: {
      text: "Share of results that answer, over their mean score. The larger a point, the more results.",
      anchor: "start",
      fontWeight: "normal",
      color: "#555",
      fontSize: 11,
    },
    columns: PANELS_A_ROW,
    concat: panels,
  });
}

function panel(title: string, bins: readonly Bin[]): object {
  const axis = (field: string, name: string) => ({
    field,
    type: "quantitative",
    title: name,
    scale: { domain: [0, 1] },
    axis: { values: TICKS, grid: false },
  });
  const encoding = { x: axis("score", "mean score"), y: axis("share", "share that answers") };
  const points = bins.filter(({ count }) => count > 0);
  const size = {
    field: "count",
    type: "quantitative",
    scale: { range: AREAS },
    legend: null,
  };
  return {
    width: SIDE,
    height: SIDE,
    title: { text: title, subtitle: `error ${calibrationError(bins).toFixed(3)}`, fontSize: 12 },
    layer: [
      {
        data: { values: TICKS.map((both) => ({ score: both, share: both })) },
        mark: { type: "line", strokeDash: [4, 4], color: "#999" },
        encoding,
      },
      {
        data: { values: points.map(({ score, share, count }) => ({ score, share, count })) },
        mark: { type: "line", color: COLOURS[0], strokeWidth: 1 },
        encoding,
      },
      {
        data: { values: points.map(({ score, share, count }) => ({ score, share, count })) },
        mark: { type: "point", filled: true, opacity: 1, color: COLOURS[0] },
        encoding: { ...encoding, size },
      },
    ],
  };
}
