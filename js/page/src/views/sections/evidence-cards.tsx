// The weights of evidence: those of each section as cards, the others folded, by group.

import type { MemorySection } from "nous-wasm";
import { counted, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import { MAX_WEIGHT, setWeight, weights } from "../../app/weights.tsx";
import { fittedOf, type Preset } from "../../evidence/fitted.ts";
import { GROUPS, type Group, KINDS } from "../../evidence/kinds.ts";
import { Slider } from "./slider.tsx";

/** The kinds that belong to a section. KNOWLEDGE is the base of the comparison. */
const OF_SECTION: Readonly<Record<MemorySection, readonly string[]>> = {
  EPISODIC: ["recency_episodic", "section_episodic"],
  SIGNALS: ["recency_signals", "section_signals"],
  KNOWLEDGE: ["recency_knowledge"],
  PROCEDURAL: ["recency_procedural", "section_procedural"],
};
const OF_ALL = ["intent", "lastrec", "vaguerec"];
const ELSEWHERE = new Set([...Object.values(OF_SECTION).flat(), ...OF_ALL]);

const LABELS: Readonly<Record<string, string>> = {
  recency_episodic: "Recency",
  recency_signals: "Recency",
  recency_knowledge: "Recency",
  recency_procedural: "Recency",
  section_episodic: "Section bonus",
  section_signals: "Section bonus",
  section_procedural: "Section bonus",
  intent: "Asks for a section",
  lastrec: "Asks for the latest",
  vaguerec: "Is short: recent first",
};

interface CardsProps {
  preset: Preset;
  isByMeaning: boolean;
  sizes: Readonly<Record<MemorySection, number>>;
}

export function EvidenceCards({ preset, isByMeaning, sizes }: CardsProps) {
  const fitted = fittedOf(preset, isByMeaning);
  return (
    <>
      <div class="cards">
        {SECTIONS.map((section) => (
          <section key={section} class={`card s-${section}`} aria-label={SECTION_NAMES[section]}>
            <header>
              <h2 class="section">{SECTION_NAMES[section]}</h2>
              <span class="size">{counted(sizes[section], "memory", "memories")}</span>
              <ResetOf names={OF_SECTION[section]} of={SECTION_NAMES[section]} />
            </header>
            <Weights names={OF_SECTION[section]} of={SECTION_NAMES[section]} fitted={fitted} />
            {section === "KNOWLEDGE" ? (
              <p class="note">It has no bonus: the bonuses of the others compare with it.</p>
            ) : null}
          </section>
        ))}
      </div>
      <section class="card plain" aria-label="If the question …">
        <header>
          <h2>If the question …</h2>
          <ResetOf names={OF_ALL} of="the question" />
        </header>
        <Weights names={OF_ALL} of="the question" fitted={fitted} />
      </section>
      {(Object.keys(GROUPS) as Group[]).map((group) => (
        <Others key={group} group={group} fitted={fitted} />
      ))}
    </>
  );
}

/** Makes the weights of a card the fitted ones again. */
function ResetOf({ names, of }: { names: readonly string[]; of: string }) {
  if (names.every((name) => weights.value[name] === undefined)) return null;
  return (
    <button
      type="button"
      class="more"
      onClick={() => {
        for (const name of names) setWeight(name, undefined);
      }}
    >
      Reset<span class="hidden"> {of}</span>
    </button>
  );
}

type Fitted = Readonly<Record<string, number>>;

function Weights({ names, of, fitted }: { names: readonly string[]; of: string; fitted: Fitted }) {
  const given = weights.value;
  return (
    <>
      {names.map((name) => (
        <Slider
          key={name}
          label={LABELS[name] ?? KINDS[name]!.label}
          of={of}
          about={KINDS[name]!.about}
          value={given[name] ?? fitted[name]!}
          default={fitted[name]!}
          min={-MAX_WEIGHT}
          max={MAX_WEIGHT}
          digits={2}
          onChange={(value) => setWeight(name, value)}
        />
      ))}
    </>
  );
}

/** The kinds of a group that have no place above. */
function Others({ group, fitted }: { group: Group; fitted: Fitted }) {
  const names = Object.keys(KINDS).filter(
    (name) => KINDS[name]!.group === group && Object.hasOwn(fitted, name) && !ELSEWHERE.has(name),
  );
  const changes = names.filter((name) => weights.value[name] !== undefined).length;
  return (
    <details class="others">
      <summary>
        <i class={`dot g-${group}`} />
        {GROUPS[group]}
        <span class="quiet">
          {changes === 0
            ? `${names.length} ${names.length === 1 ? "kind" : "kinds"}`
            : `${changes} of ${names.length} changed`}
        </span>
      </summary>
      {changes === 0 ? null : (
        <p class="reset">
          <ResetOf names={names} of={GROUPS[group]} />
        </p>
      )}
      <Weights names={names} of={GROUPS[group]} fitted={fitted} />
    </details>
  );
}
