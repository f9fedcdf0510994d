// Ask: a question, the engine's reading of it, and the answers with their evidence. A second column
// shows another ranking of the same memories.

import { lazy } from "preact/compat";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { memoryName, question } from "../../app/address.ts";
import { counted, daysOf, ms, percent, SECTION_NAMES } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { isEmpty, memory } from "../../memory/client.ts";
import type { Answered, Shown, Understood } from "../../memory/records.ts";
import { MemoryCard } from "../../parts/card.tsx";
import { Legend } from "../../parts/evidence-bar.tsx";
import { Waiting } from "../../parts/loading.tsx";
import { draft, LatestStored, RememberMore } from "../../parts/remember.tsx";
import { AnswerItem } from "./answer-item.tsx";
import { Columns, RivalPicker, rival } from "./columns.tsx";
import { askedQuestion, suggestionsFor } from "./suggestions.ts";

/** How many memories are shown as long as nothing is asked. */
const LAST = 5;
/** No filter of a list. */
const EVERY = { text: "", section: "", kind: "", tag: "", from: null, to: null } as const;
/** How many of the nearest memories are shown where none is an answer. */
const NEAREST = 3;
const REASONS = ".answers button.more";

/** Comes with an empty memory. */
const Start = lazy(() => import("../../parts/start.tsx"));

export function Ask() {
  return isEmpty() ? <Start /> : <Question />;
}

function Question() {
  const box = useRef<HTMLInputElement>(null);
  const suggestions = suggestionsFor(memoryName.value);
  // The page opens with an answer.
  const asked = askedQuestion();
  const answered = useLive(() => {
    const text = askedQuestion();
    return text.trim() === "" ? undefined : () => memory.ask({ question: text });
  });
  useLayoutEffect(() => {
    // Who is writing what to remember goes on with that.
    if (draft.peek() === "") box.current!.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (target instanceof HTMLElement && target.matches("input, select, textarea")) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const { value, error } = answered.value;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move the focus between controls.
    <div class="ask" onKeyDown={(event) => moveFocus(event, box.current)}>
      <h1 class="hidden">Ask the memory</h1>
      <search>
        <div class="question">
          <input
            ref={box}
            type="search"
            aria-label="Question"
            value={question.value}
            placeholder={asked === "" ? "Ask the memory …" : asked}
            autocomplete="off"
            spellcheck={false}
            maxLength={1000}
            aria-keyshortcuts="/"
            onInput={(event) => question.set(event.currentTarget.value)}
          />
          {question.value === "" ? null : (
            <button
              type="button"
              class="clear"
              aria-label="Clear the question"
              onClick={() => {
                question.set("");
                box.current?.focus();
              }}
            >
              <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                <path d="M3 3l10 10M13 3L3 13" />
              </svg>
            </button>
          )}
        </div>
        {suggestions.length === 0 ? null : (
          <ul class="chips" aria-label="Suggestions">
            {suggestions.map((text) => (
              <li key={text}>
                <button
                  type="button"
                  aria-pressed={text === asked}
                  onClick={() => question.set(text)}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        )}
      </search>
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <LatestStored />
      {asked.trim() === "" ? (
        <Last />
      ) : value === undefined ? (
        <Waiting isFor={error === undefined} />
      ) : (
        <Answers answered={value} />
      )}
      <RememberMore />
    </div>
  );
}

/** The memories that were stored last, as long as nothing is asked. */
function Last() {
  const listed = useLive(
    () => () => memory.list({ ...EVERY, order: "newest", page: 0, size: LAST }),
  );
  const { value } = listed.value;
  if (value === undefined) return null;
  return (
    <section aria-label="Stored last">
      <h2>Stored last</h2>
      <ul class="records">
        {value.cards.map((card) => (
          <li key={card.id} class={`record s-${card.section}`} data-id={card.id}>
            <div class="body">
              <MemoryCard card={card} heading="h3" />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Arrows go through the answers, Escape goes back to the question. */
function moveFocus(event: KeyboardEvent, box: HTMLInputElement | null): void {
  const { key, target } = event;
  if (!(target instanceof HTMLElement)) return;
  const item = target.closest(".answers .answer");
  if (target !== box && item === null) return;
  const all = Array.from(document.querySelectorAll<HTMLElement>(REASONS));
  const at = all.findIndex((button) => item?.contains(button));
  let next: HTMLElement | null | undefined;
  if (key === "ArrowDown") next = all[Math.min(at + 1, all.length - 1)];
  else if (key === "ArrowUp" && target !== box) next = at === 0 ? box : all[at - 1];
  else if (key === "Escape" && target !== box) next = box;
  if (next == null) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  (next.closest(".answer") ?? next).scrollIntoView({ block: "nearest" });
}

function Answers({ answered }: { answered: Answered }) {
  const { question: asked, answers, isAnswerable, understood, isByMeaning } = answered;
  const among = counted(answered.among, "memory", "memories");
  const isWhole = answered.awaited === 0;
  const ranking = rival.value;
  const reasons = answers.flatMap((answer) => answer.reasons ?? []);
  const shown = isAnswerable || ranking !== undefined ? answers : answers.slice(0, NEAREST);
  const list = (elsewhere?: (id: string) => string) => (
    <ol class={isAnswerable ? "answers" : "answers unsure"}>
      {shown.map((one) => (
        <AnswerItem
          key={one.card.id}
          shown={one}
          question={asked}
          isDense={ranking !== undefined}
          elsewhere={elsewhere?.(one.card.id)}
          isTold={isToldBefore(shown, one)}
        />
      ))}
    </ol>
  );
  return (
    <>
      <UnderstoodLine understood={understood} />
      <div class="above">
        <p class="verdict" role="status">
          {answers.length === 0 ? (
            `Nothing in ${isWhole ? "this memory" : `the ${among} loaded so far`} has to do with the question.`
          ) : isAnswerable ? (
            `Found in ${ms(answered.milliseconds)} among ${among}${isWhole ? "" : " loaded so far"}, by words${isByMeaning ? " and meaning" : ""}.`
          ) : (
            <>
              <strong>
                {isWhole
                  ? "This memory probably holds no answer."
                  : `The ${among} loaded so far probably hold no answer.`}
              </strong>{" "}
              That it holds one is {percent(answered.probability)} likely; an answer counts from{" "}
              {percent(answered.threshold)} on.
            </>
          )}
        </p>
        <RivalPicker />
      </div>
      {answers.length === 0 ? null : <Legend of={reasons} />}
      {ranking === undefined ? (
        list()
      ) : (
        <Columns question={asked} ranking={ranking} answers={answers}>
          {list}
        </Columns>
      )}
      {answers.length === 0 ? null : (
        <p class="keys">
          <kbd>/</kbd> question <kbd>↓</kbd> <kbd>↑</kbd> answers <kbd>Enter</kbd> why{" "}
          <kbd>Esc</kbd> back
        </p>
      )}
    </>
  );
}

/** Whether an answer above another one has the same history. */
const isToldBefore = (shown: readonly Shown[], { card, rank }: Shown): boolean =>
  shown.some((other) => other.rank < rank && card.history?.some(({ id }) => id === other.card.id));

/** The line about the engine's reading of the question. */
function UnderstoodLine({ understood }: { understood: Understood }) {
  const { times, parts, intents, words } = understood;
  return (
    <dl class="understood" aria-label="Understood">
      {words.length === 0 ? null : (
        <div>
          <dt>Words that count</dt>
          <dd>{words.join(" · ")}</dd>
        </div>
      )}
      {times.map((time) => (
        <div key={time.text}>
          <dt>Time</dt>
          <dd>
            “{time.text}”: {daysOf(time.start, time.end - 1)}
          </dd>
        </div>
      ))}
      {parts.length < 2 ? null : (
        <div>
          <dt>Parts</dt>
          <dd>{parts.map((part) => `“${part}”`).join(" and ")}</dd>
        </div>
      )}
      {intents.length === 0 ? null : (
        <div>
          <dt>Asks for</dt>
          <dd>{intents.map((section) => SECTION_NAMES[section].toLowerCase()).join(", ")}</dd>
        </div>
      )}
    </dl>
  );
}
