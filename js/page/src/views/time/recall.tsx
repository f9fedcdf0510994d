// What recalls do to a memory: its life with them beside its life without.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { param } from "../../app/address.ts";
import { dayOf } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import type { Recalled } from "../../memory/life.ts";
import type { Card } from "../../memory/records.ts";
import { Chart, type ChartOptions } from "../../parts/chart.tsx";
import { colour, tokenOf } from "../../parts/colours.ts";
import { PADDING, shareAxis, timeAxis } from "./axes.ts";
import { days } from "./curves.tsx";
import { curve, DAY, dayNumber, instantOf, numberOf, span } from "./day.ts";

const POINTS = 300;

const chosen = param("recalled", "");
/** Days as "2026-10-03", in order, between commas. */
const on = param("on", "");

/** Returns the id of the memory that is recalled; "" if none is. */
export const recalledId = (): string => chosen.value;

const recallDays = (): number[] =>
  on.value
    .split(",")
    .map((day) => Date.parse(day))
    .filter((day) => !Number.isNaN(day))
    .map(numberOf)
    .sort((a, b) => a - b);

const isoOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

/** Recalls a memory on the day of the slider. */
export function recall(id: string): void {
  const before = chosen.value === id ? recallDays() : [];
  const all = [...new Set([...before, dayNumber.value])].sort((a, b) => a - b);
  chosen.set(id);
  on.set(all.map(isoOf).join(","));
}

function forgetRecalls(): void {
  chosen.set("");
  on.set("");
}

const options = (section: string) => (): ChartOptions => ({
  padding: PADDING,
  cursor: { show: false },
  scales: { x: { time: false }, y: { range: () => [0, 1] } },
  axes: [timeAxis(), shareAxis()],
  series: [
    {},
    { stroke: colour("soft"), width: 1.2, dash: [3, 4], points: { show: false } },
    { stroke: colour(tokenOf(section)), width: 2.4, points: { show: false } },
  ],
});

export function RecallPanel({ card }: { card: Card }) {
  const { id, section } = card;
  const result = useLive(() => {
    if (chosen.value !== id) return undefined;
    const request = {
      id,
      recalls: recallDays().map(instantOf),
      curve: curve.value,
      to: (span.value.last + 1) * DAY,
      points: POINTS,
    };
    return () => memory.recalled(request);
  });
  const { value, error } = result.value;
  const data = useMemo(
    () =>
      value === undefined
        ? undefined
        : ([value.days, value.without, value.with] as uPlot.AlignedData),
    [value],
  );
  const recalls = recallDays();
  const isAhead = dayNumber.value > (recalls.at(-1) ?? Infinity);
  if (error !== undefined) return <p class="problem">{error}</p>;
  return (
    <div class="recall">
      {value === undefined || data === undefined ? (
        <div class="chart-room" />
      ) : (
        <>
          <p role="status">{sentence(value)}</p>
          <Chart
            label={`Retrievability of this memory over time, with ${recalls.length === 1 ? "a recall" : `${recalls.length} recalls`} and without. The sentence above has the numbers.`}
            options={options(section)}
            data={data}
            height={170}
            marker={(dayNumber.value + 0.5) * DAY}
          />
          <p class="key">
            <span class={`line s-${section}`}>with recall</span>
            <span class="line dashed">without</span>
          </p>
        </>
      )}
      <p class="recall-buttons">
        {isAhead ? (
          <button type="button" onClick={() => recall(id)}>
            Recall again on {dayOf(dayNumber.value * DAY)}
          </button>
        ) : (
          <span class="quiet">Move the slider ahead to recall it again.</span>
        )}
        <button type="button" class="more" onClick={forgetRecalls}>
          Undo
        </button>
      </p>
    </div>
  );
}

/** Says what the recalls changed. */
function sentence({ recalls, stabilities, withoutUntil, withUntil }: Recalled): string {
  if (recalls.length === 0) return "It cannot be recalled before it was made.";
  const grown = stabilities.map(days).join(" → ");
  const list = recalls.map(dayOf).join(", ");
  const isGrown = stabilities.at(-1)! > stabilities[0]!;
  const until = (at: number | null) =>
    at === null ? "after the last day shown" : `on ${dayOf(at)}`;
  return `Recalled on ${list}. Stability: ${grown} days${isGrown ? "" : ", which does not grow"}. It becomes weak ${until(withUntil.active)} instead of ${until(withoutUntil.active)}, and dormant ${until(withUntil.weak)} instead of ${until(withoutUntil.weak)}.`;
}
