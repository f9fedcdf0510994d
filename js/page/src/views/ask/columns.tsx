// Two rankings side by side. Lines join the same memory across them; where the columns stand one
// above the other, and for readers who do not see the lines, each memory says its other place.

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { param } from "../../app/address.ts";
import { ms, ordinal, SECTION_NAMES } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import { type Compared, type Rival, type Shown, titleOf } from "../../memory/records.ts";
import { Facts } from "../../parts/card.tsx";
import { Waiting } from "../../parts/loading.tsx";
import { askedQuestion } from "./suggestions.ts";

interface About {
  /** As the select names it. */
  name: string;
  /** A sentence on how it ranks. */
  how: string;
  /** Digits of its scores. */
  digits: number;
}

const RIVALS: Readonly<Record<Rival, About>> = {
  bm25: {
    name: "plain BM25",
    how: "Full-text search: rare words of the question count more.",
    digits: 1,
  },
  signals: {
    name: "six signals, one set of weights",
    how: "Vectors, words, links, recency, authority and use, weighted alike for every memory.",
    digits: 2,
  },
  sections: {
    name: "six signals, weights by section",
    how: "The same six signals; each section weighs them in its own way.",
    digits: 2,
  },
  intent: {
    name: "six signals, sections and intent",
    how: "As by section; memories of a section that the question asks for are raised.",
    digits: 2,
  },
};
const NONE = "none";
/** The most characters of a text in place of a title. */
const SHORT = 80;
/** The most answers that a ranking gives here. */
const MOST = 10;

const compareParam = param("compare", NONE);

/** The other ranking that the address names; undefined if it names none. */
export const rival = {
  get value(): Rival | undefined {
    const { value } = compareParam;
    return Object.hasOwn(RIVALS, value) ? (value as Rival) : undefined;
  },
};

const NOTHING = <p class="verdict">It finds nothing.</p>;

export function RivalPicker() {
  return (
    <label class="rival">
      Compare with{" "}
      <select
        value={rival.value ?? NONE}
        onChange={(event) => compareParam.set(event.currentTarget.value)}
      >
        <option value={NONE}>nothing</option>
        {Object.entries(RIVALS).map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ColumnsProps {
  ranking: Rival;
  question: string;
  answers: readonly Shown[];
  /** Returns the list of the answers by evidence, of which each may tell its place in the other. */
  children: (elsewhere?: (id: string) => string) => ComponentChildren;
}

export function Columns({ ranking, answers, children }: ColumnsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [lit, setLit] = useState<string>();
  const compared = useLive(() => {
    const text = askedQuestion();
    const other = rival.value;
    return other === undefined
      ? undefined
      : () => memory.compare({ question: text, ranking: other });
  });
  const { value: latest, error } = compared.value;
  // The one before is shown no longer: it has other scores.
  const value = latest?.ranking === ranking ? latest : undefined;
  const light = ({ target }: Event) =>
    setLit((target as Element).closest<HTMLElement>("[data-id]")?.dataset.id);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at a memory lights its line.
    // biome-ignore lint/a11y/useKeyWithMouseEvents: focus does it, too, as it is captured.
    <div class="columns" ref={frame} onMouseOver={light} onFocusCapture={light}>
      <section class="left" aria-label="By evidence">
        <h2>By evidence</h2>
        <p class="quiet">What the engine answers. The number is a probability.</p>
        {answers.length === 0
          ? NOTHING
          : children(value === undefined ? undefined : placesIn(value))}
      </section>
      <Lines frame={frame} left={answers} right={value?.answers ?? []} lit={lit} />
      <section class="right" aria-label={`By ${RIVALS[ranking].name}`}>
        <h2>By {RIVALS[ranking].name}</h2>
        <p class="quiet">
          {RIVALS[ranking].how} {value === undefined ? "" : raisedIn(value)}
        </p>
        {error === undefined ? null : (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        {value === undefined ? (
          <Waiting isFor={error === undefined} />
        ) : (
          <RivalList compared={value} answers={answers} />
        )}
      </section>
    </div>
  );
}

/** Returns a function that tells the place of a memory in a ranking. */
function placesIn({ answers, ranking }: Compared): (id: string) => string {
  const places = new Map(answers.map(({ card, rank }) => [card.id, rank]));
  const { name } = RIVALS[ranking];
  return (id) => {
    const place = places.get(id);
    return place === undefined ? missingIn(answers, name) : `${ordinal(place)} by ${name}`;
  };
}

/** Says that a ranking does not show a memory: one with room left did not find it. */
const missingIn = ({ length }: readonly Shown[], name: string): string =>
  length < MOST ? `not found by ${name}` : `not among the first by ${name}`;

function raisedIn({ ranking, raised, milliseconds }: Compared): string {
  const took = `Took ${ms(milliseconds)}.`;
  if (ranking !== "intent") return took;
  const names = raised.map((section) => SECTION_NAMES[section].toLowerCase()).join(" and ");
  return raised.length === 0 ? `Here it raises none. ${took}` : `Here: ${names}. ${took}`;
}

interface RivalListProps {
  compared: Compared;
  answers: readonly Shown[];
}

function RivalList({ compared, answers }: RivalListProps) {
  const places = new Map(answers.map(({ card, rank }) => [card.id, rank]));
  const { digits } = RIVALS[compared.ranking];
  if (compared.answers.length === 0) return NOTHING;
  return (
    <ol class="rivals">
      {compared.answers.map(({ card, rank, score }) => {
        const other = places.get(card.id);
        return (
          <li key={card.id} class={`rival-item s-${card.section}`} data-id={card.id}>
            <p class="place">{rank}</p>
            <div>
              <h3 class="title">{titleOf(card, SHORT)}</h3>
              <Facts card={card} />
              <p class="elsewhere">
                {other === undefined
                  ? missingIn(answers, "evidence")
                  : `${ordinal(other)} by evidence`}
              </p>
            </div>
            <p class="score" title="The score of this ranking: no probability">
              {score.toFixed(digits)}
            </p>
          </li>
        );
      })}
    </ol>
  );
}

interface LinesProps {
  frame: RefObject<HTMLDivElement | null>;
  left: readonly Shown[];
  right: readonly Shown[];
  lit: string | undefined;
}

interface Line {
  id: string;
  path: string;
  section: string;
  isFirst: boolean;
}

/** Lines from each memory of the left column to itself in the right one. */
function Lines({ frame, left, right, lit }: LinesProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const [lines, setLines] = useState<Line[]>([]);
  useLayoutEffect(() => {
    const draw = () => setLines(linesIn(frame.current, drawing.current, left, right));
    draw();
    const observer = new ResizeObserver(draw);
    // An answer that opens its reasons makes its column longer.
    const columns = Array.from(frame.current?.querySelectorAll("ol") ?? []);
    for (const column of columns) observer.observe(column);
    if (drawing.current !== null) observer.observe(drawing.current);
    return () => observer.disconnect();
  }, [left, right]);
  return (
    <svg class="lines" ref={drawing} aria-hidden="true">
      {lines.map(({ id, path, section, isFirst }) => (
        <path
          key={id}
          d={path}
          class={`s-${section}${isFirst ? " first" : ""}${id === lit ? " lit" : ""}`}
        />
      ))}
    </svg>
  );
}

function linesIn(
  frame: HTMLElement | null,
  drawing: SVGSVGElement | null,
  left: readonly Shown[],
  right: readonly Shown[],
): Line[] {
  if (frame === null || drawing === null) return [];
  const { top, width } = drawing.getBoundingClientRect();
  if (width === 0) return [];
  const middleOf = (column: string, id: string): number | undefined => {
    const found = frame.querySelector(`.${column} [data-id="${CSS.escape(id)}"]`);
    if (found === null) return undefined;
    const box = found.getBoundingClientRect();
    return Math.round(box.top + box.height / 2 - top);
  };
  const others = new Set(right.map(({ card }) => card.id));
  return left.flatMap(({ card, rank }) => {
    const [from, to] = [middleOf("left", card.id), middleOf("right", card.id)];
    if (!others.has(card.id) || from === undefined || to === undefined) return [];
    const path = `M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`;
    return { id: card.id, path, section: card.section, isFirst: rank === 1 };
  });
}
