// The evidence of a memory against that of the first answer, as bars to both sides of a line: by
// group, and by kind below it.

import { signed } from "../../app/format.ts";
import { GROUPS, type Group, KINDS } from "../../evidence/kinds.ts";
import type { Difference } from "../../memory/records.ts";

/** Kinds that differ less are left to the sum of their group. */
const MIN = 0.05;
/** Bars of less do not fill their side. */
const FULL = 0.5;

interface Row {
  group: Group;
  kinds: Difference[];
  sum: number;
}

const by = ({ own, first }: Difference): number => own - first;

function rowsOf(differences: readonly Difference[]): Row[] {
  return (Object.keys(GROUPS) as Group[])
    .map((group) => {
      const kinds = differences.filter(({ name }) => (KINDS[name]?.group ?? "like") === group);
      return { group, kinds, sum: kinds.reduce((sum, one) => sum + by(one), 0) };
    })
    .filter(({ kinds }) => kinds.length > 0)
    .sort((a, b) => a.sum - b.sum);
}

export function Differences({ differences }: { differences: readonly Difference[] }) {
  const rows = rowsOf(differences);
  const all = rows.flatMap(({ sum, kinds }) => [sum, ...kinds.map(by)]);
  const max = Math.max(...all.map(Math.abs), FULL);
  const total = rows.reduce((sum, row) => sum + row.sum, 0);
  return (
    <section>
      <h2>What it lacks</h2>
      <p class="lead">
        {total < 0
          ? "The evidence of this memory minus that of the first answer. Bars to the left: the first answer is ahead."
          : "The evidence of this memory is no weaker than that of the first answer. It stands back for another reason."}
      </p>
      <table class="differences">
        <caption class="hidden">
          Evidence of this memory minus evidence of the first answer, by group and kind
        </caption>
        <thead>
          <tr>
            <th scope="col">Evidence</th>
            <th scope="col" class="sides">
              <span>first answer ahead</span>
              <span>this one ahead</span>
            </th>
            <th scope="col">Difference</th>
          </tr>
        </thead>
        {rows.map(({ group, kinds, sum }) => (
          <tbody key={group} class={`g-${group}`}>
            <tr class="group">
              <th scope="row">
                <i class={`dot g-${group}`} />
                {GROUPS[group]}
              </th>
              <td aria-hidden="true">
                <Bar value={sum} max={max} />
              </td>
              <td>{signed(sum)}</td>
            </tr>
            {kinds
              .filter((one) => Math.abs(by(one)) >= MIN)
              .map((one) => (
                <tr key={one.name}>
                  <th scope="row" title={KINDS[one.name]?.about}>
                    {KINDS[one.name]?.label ?? one.name}
                  </th>
                  <td aria-hidden="true">
                    <Bar value={by(one)} max={max} />
                  </td>
                  <td>{signed(by(one))}</td>
                </tr>
              ))}
          </tbody>
        ))}
        <tfoot>
          <tr>
            <th scope="row">All together</th>
            <td aria-hidden="true" />
            <td>{signed(total)}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function Bar({ value, max }: { value: number; max: number }) {
  const share = `${(Math.abs(value) / max) * 50}%`;
  return (
    <span class="both">
      <i
        class={value < 0 ? "less" : "more"}
        style={value < 0 ? { right: "50%", width: share } : { left: "50%", width: share }}
      />
    </span>
  );
}
