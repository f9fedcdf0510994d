// The effect of recalls on a memory: its life with them beside its life without.

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

const POINTS = 900;

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

/** The time shown after the memory becomes dormant, as a share of the time before. */
const BEYOND = 0.2;

/** Returns both lives until the memory is dormant with its recalls: later all is at the bottom. */
function untilFaded(value: Recalled): uPlot.AlignedData {
  const { days, without, with: withRecalls, withUntil, recalls } = value;
  const [first, last] = [days[0]!, days.at(-1)!];
  const faded = Math.max(withUntil.weak ?? last, recalls.at(-1) ?? first);
  const end = Math.min(last, faded + (faded - first) * BEYOND);
  const kept = days.filter((day) => day <= end).length;
  return [days, without, withRecalls].map((column) => column.slice(0, kept)) as uPlot.AlignedData;
}

const options = (section: string) => (): ChartOptions => ({
  padding: PADDING,
  cursor: { show: false },
  scales: { x: { time: false }, y: { range: () => [0, 1] } },
  axes: [timeAxis(), shareAxis()],
  series: [
    {},
    { stroke: colour("ink"), width: 1.8, dash: [6, 5], points: { show: false } },
    { stroke: colour(tokenOf(section)), width: 2.6, points: { show: false } },
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
  const data = useMemo(() => (value === undefined ? undefined : untilFaded(value)), [value]);
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
          {value.recalls.length === 0 ? null : <Growth value={value} section={section} />}
          <Chart
            label={`Retrievability of this memory over time, with ${recalls.length === 1 ? "a recall" : `${recalls.length} recalls`} and without. The sentence above has the numbers.`}
            options={options(section)}
            data={data}
            height={170}
            marker={(dayNumber.value + 0.5) * DAY}
          />
          <p class="key">
            <span class={`line s-${section}`}>with recall</span>
            <span class="line dashed">without recall</span>
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

/** The stability before the first recall and after each, as bars of one scale. */
function Growth({ value, section }: { value: Recalled; section: string }) {
  const { stabilities, withUntil, withoutUntil } = value;
  const max = Math.max(...stabilities);
  const name = (place: number) =>
    place === 0 ? "before" : stabilities.length === 2 ? "after" : `recall ${place}`;
  return (
    <div class="growth">
      <ul aria-label="Stability">
        {stabilities.map((stability, place) => (
          <li key={place} class={`s-${section}`}>
            <span>{name(place)}</span>
            <span class="length" aria-hidden="true">
              <i style={{ width: `${(stability / max) * 100}%` }} />
            </span>
            <span class="days">{days(stability)} days</span>
          </li>
        ))}
      </ul>
      <table>
        <thead>
          <tr>
            <th scope="col">Recall</th>
            <th scope="col">Weak on</th>
            <th scope="col">Dormant on</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">without</th>
            <td>{until(withoutUntil.active)}</td>
            <td>{until(withoutUntil.weak)}</td>
          </tr>
          <tr>
            <th scope="row">with</th>
            <td>{until(withUntil.active)}</td>
            <td>{until(withUntil.weak)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

const until = (at: number | null): string => (at === null ? "later" : dayOf(at));

/** Shows the effect of the recalls. */
function sentence({ recalls, stabilities }: Recalled): string {
  if (recalls.length === 0) return "It cannot be recalled before it was made.";
  const grown = stabilities.map(days).join(" → ");
  const list = recalls.map(dayOf).join(", ");
  const by = stabilities.at(-1)! / stabilities[0]!;
  const told = by > 1 ? ` It fades ${by.toFixed(1)} times as slowly.` : " It does not grow.";
  return `Recalled on ${list}. Stability: ${grown} days.${told}`;
}
