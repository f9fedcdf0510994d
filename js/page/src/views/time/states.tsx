// The lifecycle states of all memories over time, one above the other.

import type { DecayLifecycleState } from "nous-wasm";
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { count, dayOf } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { generation, memory, opened } from "../../memory/client.ts";
import type { StatesOverTime } from "../../memory/life.ts";
import { Chart, type ChartOptions } from "../../parts/chart.tsx";
import { colour } from "../../parts/colours.ts";
import { countAxis, PADDING, timeAxis } from "./axes.ts";
import { curve, DAY, dayNumber, instant, moveTo, numberOf, type Span, span } from "./day.ts";

/** Days that the picture looks at. */
const POINTS = 240;
/** And in a memory of more than `MANY`. */
const FEWER_POINTS = 80;
const MANY = 30_000;

/** What a state means, in a few words. In the order of the engine's `LIFECYCLE_STATES`. */
const ABOUT: Readonly<Record<DecayLifecycleState, string>> = {
  ACTIVE: "at hand",
  WEAK: "fading",
  DORMANT: "faded",
  COMPRESS: "faded for long: may be summarised",
  ARCHIVE: "faded for very long: may be put away",
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
    ...[...STATES].reverse().map(
      (state): uPlot.Series => ({
        stroke: colour("surface"),
        width: 1,
        fill: colour(`state-${state.toLowerCase()}`),
        points: { show: false },
      }),
    ),
  ],
});

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
  if (value === undefined || data === undefined) return <div class="chart-room" />;
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
        <caption class="hidden">Memories by state</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">That day</th>
            <th scope="col">Today</th>
          </tr>
        </thead>
        <tbody>
          {STATES.map((state, code) => (
            <tr key={state}>
              <th scope="row">
                <i class={`swatch state-${state}`} />
                {nameOf(state)} <span class="quiet">{ABOUT[state]}</span>
              </th>
              <td>{onDay === undefined ? "" : count(onDay[code]!)}</td>
              <td>{today === undefined ? "" : count(today[code]!)}</td>
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
