// The lifecycle states of all memories over time, one above the other.

import type { DecayLifecycleState } from "nous-wasm";
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { count, dayOf } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { generation, isEmpty, memory, opened } from "../../memory/client.ts";
import type { StatesOverTime } from "../../memory/life.ts";
import { Chart, type ChartOptions } from "../../parts/chart.tsx";
import { colour } from "../../parts/colours.ts";
import { Nothing, Waiting } from "../../parts/loading.tsx";
import { countAxis, PADDING, timeAxis } from "./axes.ts";
import {
  curve,
  DAY,
  dayNumber,
  instant,
  isToday,
  moveTo,
  numberOf,
  type Span,
  span,
} from "./day.ts";

/** Days that the picture looks at. */
const POINTS = 240;
/** And in a memory of more than `MANY`. */
const FEWER_POINTS = 80;
const MANY = 30_000;

/** The meaning of a state, in a few words. In the order of the engine's `LIFECYCLE_STATES`. */
const ABOUT: Readonly<Record<DecayLifecycleState, string>> = {
  ACTIVE: "at hand",
  WEAK: "fading",
  DORMANT: "faded",
  COMPRESS: "faded for long, may be summarised",
  ARCHIVE: "faded for very long, may be put away",
};
// Importing the engine's list would load the engine into the page, beside that of the worker.
const STATES = Object.keys(ABOUT) as DecayLifecycleState[];

const options = (): ChartOptions => ({
  padding: PADDING,
  cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
  scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(1, max)] } },
  axes: [timeAxis(), countAxis()],
  series: [
    {},
    // Each band has a line of the ground above it; the uppermost one stands on the ground itself.
    ...[...STATES].reverse().map(
      (state, place): uPlot.Series => ({
        stroke: colour(place === 0 ? "line-strong" : "surface"),
        width: 1.5,
        fill: colour(`state-${state.toLowerCase()}`),
        points: { show: false },
      }),
    ),
  ],
  plugins: [{ hooks: { draw: writeNames } }],
});

/** The size of a name in a band, and the room that it needs, in CSS pixels. */
const NAME = { size: 12, high: 12, beside: 2 };
/** Among places that are nearly as high as the highest, the middle one is taken. */
const NEARLY = 0.92;

/** Writes the name of each state into its band, where the band is high and wide enough. */
function writeNames(chart: uPlot): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `600 ${NAME.size * ratio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const [place, state] of [...STATES].reverse().entries()) {
    const [above, below] = [chart.data[place + 1]!, chart.data[place + 2]];
    const half = ctx.measureText(nameOf(state)).width / 2 + NAME.beside * ratio;
    const edges = Array.from(chart.data[0], (day, at) => ({
      x: chart.valToPos(day, "x", true),
      top: chart.valToPos(above[at]!, "y", true),
      bottom: chart.valToPos(below?.[at] ?? 0, "y", true),
    }));
    const spots = edges.flatMap(({ x }) => {
      if (x < bbox.left + half || x > bbox.left + bbox.width - half) return [];
      // The name must be inside of the band over its whole width.
      const beside = edges.filter((edge) => Math.abs(edge.x - x) <= half);
      const top = Math.max(...beside.map((edge) => edge.top));
      const bottom = Math.min(...beside.map((edge) => edge.bottom));
      return bottom - top < NAME.high * ratio
        ? []
        : { x, y: (top + bottom) / 2, high: bottom - top };
    });
    const highest = Math.max(...spots.map(({ high }) => high));
    const best = spots.filter(({ high }) => high > NEARLY * highest);
    const spot = best[best.length >> 1];
    if (spot === undefined) continue;
    ctx.fillStyle = colour(state === "ARCHIVE" ? "ink" : "surface");
    ctx.fillText(nameOf(state), spot.x, spot.y);
  }
  ctx.restore();
}

export function States() {
  const states = useLive(() => {
    const request = { curve: curve.value, days: daysOf(span.value), generation: generation.value };
    return () => memory.statesOverTime(request);
  });
  const exact = useLive(() => {
    const [now, day] = [span.value.now, instant.value];
    const days = day < now ? [day, now] : [now, day];
    const request = { curve: curve.value, days, generation: generation.value };
    return async () => {
      const { counts } = await memory.statesOverTime(request);
      const [first, second] = [0, 1].map((place) => counts.map((own) => own[place]!));
      return day < now ? { onDay: first!, today: second! } : { onDay: second!, today: first! };
    };
  });
  const { value, error } = states.value;
  const data = useMemo(() => (value === undefined ? undefined : stacked(value)), [value]);
  if (error !== undefined)
    return (
      <p class="problem" role="alert">
        {error}
      </p>
    );
  if (isEmpty()) return <Nothing so=", so that nothing fades" />;
  if (value === undefined || data === undefined)
    return (
      <div class="chart-room">
        <Waiting isFor />
      </div>
    );
  const { onDay, today } = exact.value.value ?? {};
  return (
    <>
      <Chart
        label={`How many memories are in each state, from ${dayOf(value.days[0]!)} to ${dayOf(value.days.at(-1)!)}. The table has the numbers.`}
        options={options}
        data={data}
        height={230}
        marker={(dayNumber.value + 0.5) * DAY}
        onPick={(at) => moveTo(numberOf(at))}
      />
      <table class="states">
        <caption>Number of memories by state</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Today</th>
            {isToday.value ? null : <th scope="col">{dayOf(dayNumber.value * DAY)}</th>}
          </tr>
        </thead>
        <tbody>
          {STATES.map((state, code) => (
            <tr key={state}>
              <th scope="row">
                <i class={`swatch state-${state}`} />
                {nameOf(state)} <span class="quiet">{ABOUT[state]}</span>
              </th>
              <td>{today === undefined ? "" : count(today[code]!)}</td>
              {isToday.value ? null : <td>{onDay === undefined ? "" : count(onDay[code]!)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Returns a state's name as the page writes it: "Active". */
export const nameOf = (state: string): string => state[0]! + state.slice(1).toLowerCase();

/** Returns the sums of the states from below, the largest sum first: each one covers the last. */
function stacked({ days, counts }: StatesOverTime): uPlot.AlignedData {
  const sums: number[][] = [];
  for (const [code, own] of counts.entries())
    sums.push(code === 0 ? own : own.map((value, place) => value + sums[code - 1]![place]!));
  return [days, ...sums.reverse()];
}

/** Returns the days that the picture looks at, at equal distances. */
function daysOf({ first, last }: Span): number[] {
  const state = opened.peek();
  const isLarge = state.state === "open" && state.summary.memories > MANY;
  const steps = (isLarge ? FEWER_POINTS : POINTS) - 1;
  const [from, to] = [first * DAY, (last + 1) * DAY];
  return Array.from({ length: steps + 1 }, (_, step) => from + ((to - from) * step) / steps);
}
