// The evidence for a memory as a bar. Its filled part is as long as the probability, and shared out
// among the groups that speak for the memory. Behind it, hatched, stand the groups that speak against
// it, on the same scale as far as there is room.

import { percent, signed, withMinus } from "../app/format.ts";
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

export function EvidenceBar({ reasons }: { reasons: Reasons }) {
  const { score } = reasons;
  const parts = byGroup(reasons);
  const sumOf = (sign: 1 | -1) => parts.reduce((all, { sum }) => all + Math.max(0, sign * sum), 0);
  const [speaksFor, speaksAgainst] = [Math.max(sumOf(1), 1e-9), Math.max(sumOf(-1), 1e-9)];
  const hatched = Math.min(1 - score, (speaksAgainst / speaksFor) * score);
  const width = (sum: number) =>
    `${(sum > 0 ? (sum / speaksFor) * score : (-sum / speaksAgainst) * hatched) * 100}%`;
  const told = parts.map(({ group, sum }) => `${GROUPS[group]} ${signed(sum)}`).join(", ");
  return (
    <div
      class="bar"
      role="img"
      aria-label={`${percent(score)}. Evidence: ${told}. Sum ${signed(reasons.sum)}.`}
    >
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
      {of.every((reasons) => byGroup(reasons).every(({ sum }) => sum > 0)) ? null : (
        <li>
          <i class="dot against" />
          hatched: speaks against it
        </li>
      )}
    </ul>
  );
}

/** The evidence as a table: kind, value, weight, contribution, and how they make the probability. */
export function EvidenceTable({ reasons }: { reasons: Reasons }) {
  const { evidence, sum, scale, offset, score, meaning } = reasons;
  return (
    <>
      {meaning === "" ? null : <p class="quiet">{meaning}</p>}
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
              <td>{withMinus(value)}</td>
              <td>{withMinus(weight)}</td>
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
              Probability:{" "}
              <span class="formula">
                1 / (1 + e
                <sup>
                  −({scale.toFixed(2)} · sum {signed(offset)})
                </sup>
                )
              </span>
            </th>
            <td>{score.toFixed(3)}</td>
          </tr>
        </tfoot>
      </table>
    </>
  );
}
