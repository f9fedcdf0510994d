// How each section fades, on both curves.

import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import { count, percent, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import type { Curve, SectionCurve } from "../../memory/life.ts";
import { Chart, type ChartOptions } from "../../parts/chart.tsx";
import { colour, tokenOf } from "../../parts/colours.ts";
import { shareAxis, sinceAxis } from "./axes.ts";
import { chooseCurve, curve } from "./day.ts";

/** From a quarter of a day to four years, in equal steps of the axis, which is logarithmic. */
const DAYS = Array.from({ length: 146 }, (_, step) => 0.25 * 5840 ** (step / 145));
const CURVES: Readonly<Record<Curve, string>> = { exponential: "Exponential", fsrs6: "FSRS-6" };

const options = (dashed: Curve) => (): ChartOptions => ({
  padding: [10, 24, 0, 0],
  cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
  scales: {
    x: { time: false, distr: 3, range: () => [DAYS[0]!, DAYS.at(-1)!] },
    y: { range: () => [0, 1] },
  },
  axes: [sinceAxis(), shareAxis()],
  series: [
    {},
    ...(["exponential", "fsrs6"] as const).flatMap((which) =>
      SECTIONS.map(
        (section): uPlot.Series => ({
          stroke: colour(tokenOf(section)),
          points: { show: false },
          ...(which === dashed ? { width: 1.8, dash: [6, 4] } : { width: 2.4 }),
        }),
      ),
    ),
  ],
});

/** The place of the month that is described while no other is pointed at. */
const DEFAULT_PLACE = DAYS.findIndex((day) => Math.round(day) >= 30);

export function Curves() {
  const [place, setPlace] = useState<number | null>(null);
  const both = useLive(() => async () => ({
    exponential: await memory.sectionCurves({ curve: "exponential", days: DAYS }),
    fsrs6: await memory.sectionCurves({ curve: "fsrs6", days: DAYS }),
  }));
  const chosen = curve.value;
  const other: Curve = chosen === "fsrs6" ? "exponential" : "fsrs6";
  const { value } = both.value;
  const data = useMemo(
    () =>
      value === undefined
        ? undefined
        : ([DAYS, ...valuesOf(value.exponential), ...valuesOf(value.fsrs6)] as uPlot.AlignedData),
    [value],
  );
  return (
    <section class="curves" aria-labelledby="curves">
      <div class="titled">
        <h2 id="curves">How each section fades</h2>
        <fieldset class="switch">
          <legend class="hidden">Forgetting curve of this view</legend>
          {(Object.keys(CURVES) as Curve[]).map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="curve"
                checked={name === chosen}
                onChange={() => chooseCurve(name)}
              />
              <span class="whole">{CURVES[name]}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <p class="lead">
        Retrievability is the probability that a memory is at hand if nobody recalls it. The thick
        lines are <Name of={chosen} />. The whole view computes with them. The dashed lines are{" "}
        <Name of={other} />. Both reach {percent(0.9)} on the same day.
      </p>
      {value === undefined || data === undefined ? (
        <div class="chart-room" />
      ) : (
        <div class="beside">
          <div>
            <Chart
              key={chosen}
              label={`Retrievability of a memory of each section over the days since its last access, ${CURVES[chosen]} and ${CURVES[other]}. The table has the numbers.`}
              options={options(other)}
              data={data}
              height={300}
              onPoint={setPlace}
            />
            <Readout curves={value[chosen]} place={place ?? DEFAULT_PLACE} />
          </div>
          <CurveTable curves={value[chosen]} name={CURVES[chosen]} />
        </div>
      )}
    </section>
  );
}

const Name = ({ of }: { of: Curve }) => <span class="whole">{CURVES[of]}</span>;

const valuesOf = (curves: readonly SectionCurve[]): number[][] =>
  curves.map(({ values }) => values);

/** The values under the mouse. */
function Readout({ curves, place }: { curves: readonly SectionCurve[]; place: number }) {
  return (
    <p class="readout">
      <span class="quiet">Retrievability after {days(DAYS[place]!)} days:</span>
      {curves.map(({ section, values }) => (
        <span key={section} class={`section s-${section}`}>
          {SECTION_NAMES[section]} {percent(values[place]!)}
        </span>
      ))}
    </p>
  );
}

function CurveTable({ curves, name }: { curves: readonly SectionCurve[]; name: string }) {
  return (
    <table class="fades">
      <caption>
        <span class="whole">{name}</span>: days without a recall
      </caption>
      <thead>
        <tr>
          <th scope="col">Section</th>
          <th scope="col">Stability</th>
          <th scope="col">Weak after</th>
          <th scope="col">Dormant after</th>
        </tr>
      </thead>
      <tbody>
        {curves.map(({ section, stability, weakAfter, dormantAfter }) => (
          <tr key={section}>
            <th scope="row">
              <span class={`section s-${section}`}>{SECTION_NAMES[section]}</span>
            </th>
            <td>{days(stability)}</td>
            <td>{days(weakAfter)}</td>
            <td>{days(dormantAfter)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns days with a decimal where it says something. */
export function days(value: number | null): string {
  if (value === null) return "4 years +";
  return value < 20 ? value.toFixed(1) : count(Math.round(value));
}
