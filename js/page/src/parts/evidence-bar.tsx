// The evidence for a memory as a bar: contributions of one group stand together, those that speak
// for the memory to the right of the line, those against it to the left. Their sum is the memory's
// sum, which makes the probability.

import { signed } from "../app/format.ts";
import { GROUPS, type Group, KINDS } from "../evidence/kinds.ts";
import type { Reasons } from "../memory/records.ts";

interface Part {
  group: Group;
  sum: number;
}

/** Returns the contributions by group, in the order of the groups. */
function byGroup({ evidence }: Pick<Reasons, "evidence">): Part[] {
  const sums = new Map<Group, number>();
  for (const { name, contribution } of evidence) {
    const group = KINDS[name]?.group ?? "like";
    sums.set(group, (sums.get(group) ?? 0) + contribution);
  }
  return (Object.keys(GROUPS) as Group[]).flatMap((group) => {
    const sum = sums.get(group) ?? 0;
    return sum === 0 ? [] : { group, sum };
  });
}

interface BarProps {
  reasons: Reasons;
  /** The sum that fills the bar: that of the best answer, so that bars of a list compare. */
  full: number;
}

export function EvidenceBar({ reasons, full }: BarProps) {
  const parts = byGroup(reasons);
  const against = -parts.reduce((sum, part) => sum + Math.min(0, part.sum), 0);
  const whole = Math.max(full, 1e-9) + against;
  const width = (value: number) => `${(Math.abs(value) / whole) * 100}%`;
  const told = parts.map(({ group, sum }) => `${GROUPS[group]} ${signed(sum)}`).join(", ");
  return (
    <div class="bar" role="img" aria-label={`Evidence: ${told}. Sum ${signed(reasons.sum)}.`}>
      {parts
        .filter(({ sum }) => sum < 0)
        .map(({ group, sum }) => (
          <span
            key={group}
            class={`seg against g-${group}`}
            style={{ width: width(sum) }}
            title={`${GROUPS[group]} ${signed(sum)}`}
          />
        ))}
      {parts
        .filter(({ sum }) => sum > 0)
        .map(({ group, sum }) => (
          <span
            key={group}
            class={`seg g-${group}`}
            style={{ width: width(sum) }}
            title={`${GROUPS[group]} ${signed(sum)}`}
          />
        ))}
    </div>
  );
}

/** The groups that bars show, with their colours. */
export function Legend({ of }: { of: readonly Reasons[] }) {
  const there = new Set(of.flatMap((reasons) => byGroup(reasons).map(({ group }) => group)));
  return (
    <ul class="legend" aria-label="Colours of the evidence">
      {(Object.keys(GROUPS) as Group[])
        .filter((group) => there.has(group))
        .map((group) => (
          <li key={group}>
            <i class={`dot g-${group}`} />
            {GROUPS[group]}
          </li>
        ))}
    </ul>
  );
}

/** The evidence as a table: kind, value, weight, contribution, and how they make the probability. */
export function EvidenceTable({ reasons }: { reasons: Reasons }) {
  const { evidence, sum, scale, offset, score } = reasons;
  return (
    <table class="evidence">
      <caption class="hidden">Evidence, largest contribution first</caption>
      <thead>
        <tr>
          <th scope="col">Evidence</th>
          <th scope="col">Value</th>
          <th scope="col">Weight</th>
          <th scope="col">Adds</th>
        </tr>
      </thead>
      <tbody>
        {evidence.map(({ name, value, weight, contribution }) => (
          <tr key={name} class={contribution === 0 ? "faint" : ""}>
            <th scope="row" title={KINDS[name]?.about}>
              <i class={`dot g-${KINDS[name]?.group ?? "like"}`} />
              {KINDS[name]?.label ?? name}
            </th>
            <td>{value.toFixed(2)}</td>
            <td>{weight.toFixed(2)}</td>
            <td>{signed(contribution)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={3}>
            Sum
          </th>
          <td>{signed(sum)}</td>
        </tr>
        <tr>
          <th scope="row" colSpan={3}>
            Probability: 1 / (1 + e
            <sup>
              −({scale.toFixed(2)} · sum {signed(offset)})
            </sup>
            )
          </th>
          <td>{score.toFixed(3)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
