// The lifecycle states of all memories over time, one above the other.

import { LIFECYCLE_STATES } from "nous-wasm";
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { count, dayOf } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import type { StatesOverTime } from "../../memory/life.ts";
import { Chart, type ChartOptions } from "../../parts/chart.tsx";
import { colour } from "../../parts/colours.ts";
import { countAxis, PADDING, timeAxis } from "./axes.ts";
import { curve, DAY, dayNumber, instant, instantOf, moveTo, numberOf, span } from "./day.ts";

/** Days that the picture looks at. */
const POINTS = 240;

/** What a state means, in a few words. */
const ABOUT: Readonly<Record<string, string>> = {
  ACTIVE: "at hand",
  WEAK: "fading",
  DORMANT: "faded",
  COMPRESS: "faded for long: may be summarised",
  ARCHIVE: "faded for very long: may be put away",
};

const options = (): ChartOptions => ({
  padding: PADDING,
  cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
  scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(1, max)] } },
  axes: [timeAxis(), countAxis()],
  series: [
    {},
    ...[...LIFECYCLE_STATES].reverse().map(
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
    const { first, last } = span.value;
    const request = {
      curve: curve.value,
      from: first * DAY,
      to: (last + 1) * DAY,
      points: POINTS,
    };
    return () => memory.statesOverTime(request);
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
  const onDay = countsAt(value, instant.value);
  const today = countsAt(value, instantOf(numberOf(span.value.now)));
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
          {LIFECYCLE_STATES.map((state, code) => (
            <tr key={state}>
              <th scope="row">
                <i class={`swatch state-${state}`} />
                {nameOf(state)} <span class="quiet">{ABOUT[state]}</span>
              </th>
              <td>{count(onDay[code]!)}</td>
              <td>{count(today[code]!)}</td>
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

/** Returns the counts on the last day of the picture that is not after an instant. */
function countsAt({ days, counts }: StatesOverTime, at: number): number[] {
  const place = Math.max(
    0,
    days.findLastIndex((day) => day <= at),
  );
  return counts.map((own) => own[place]!);
}
