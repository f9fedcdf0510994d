// The answers to the question on the day of the slider, and how their places moved.

import { dayOf, ms, percent } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { isForAll, weights } from "../../app/weights.tsx";
import { fittedOf } from "../../evidence/fitted.ts";
import { memory, opened } from "../../memory/client.ts";
import type { AnswerOnDay, AnswersOnDay } from "../../memory/life.ts";
import { titleOf } from "../../memory/records.ts";
import { Facts } from "../../parts/card.tsx";
import { Waiting } from "../../parts/loading.tsx";
import { QuestionLine } from "../../parts/question-line.tsx";
import { askedQuestion } from "../ask/suggestions.ts";
import { curve, DAY, dayNumber, instant, isToday, span } from "./day.ts";
import { RecallPanel, recall, recalledId } from "./recall.tsx";
import { nameOf } from "./states.tsx";

const SHOWN = 8;
const SHORT = 90;

export function DayAnswers() {
  const found = useLive(() => {
    const text = askedQuestion();
    const request = { question: text, day: instant.value, curve: curve.value, limit: SHOWN };
    return text.trim() === "" ? undefined : () => memory.answersOnDay(request);
  });
  const { value, error } = found.value;
  return (
    <section class="day-answers" aria-labelledby="day-answers">
      <h2 id="day-answers">What a question finds that day</h2>
      <QuestionLine default={askedQuestion() === "" ? "Ask the memory …" : askedQuestion()} />
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {value === undefined ? (
        <Waiting isFor={error === undefined && askedQuestion().trim() !== ""} />
      ) : (
        <>
          <p class="verdict">{verdict(value)}</p>
          <Order of={value} />
          {value.answers.length === 0 ? null : (
            <p class="heads" aria-hidden="true">
              <span>Answer</span>
              <span>Probability</span>
            </p>
          )}
          <ol>
            {value.answers.map((answer) => (
              <Item key={answer.card.id} answer={answer} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function verdict({ answers, isAnswerable, notYet, milliseconds }: AnswersOnDay): string {
  const isPast = instant.value < span.value.now;
  const ranked = `${isPast ? "Only memories of that time, ranked" : "Ranked"} in ${ms(milliseconds)}.`;
  const holds =
    answers.length === 0
      ? "Nothing has to do with the question."
      : isAnswerable
        ? ""
        : "Probably no answer: these are the nearest.";
  const missing =
    notYet === 0
      ? ""
      : `${notYet} of today’s first ${SHOWN} ${notYet === 1 ? "was" : "were"} not made yet.`;
  return [holds, ranked, missing].filter((part) => part !== "").join(" ");
}

/** The weights by which the day counts: how recently a memory was made. */
const OF_RECENCY = /^recency_/;

/** Says whether the answers have the places of today. */
function Order({ of: { answers } }: { of: AnswersOnDay }) {
  if (isToday.value || answers.length < 2) return null;
  const moved = answers.filter(({ rank, rankToday }) => rank !== rankToday).length;
  const told =
    moved === 0
      ? `The order is the same as today. ${whyKept()}`
      : `The order differs from today: ${moved} of ${answers.length} answers have another place.`;
  return <p class="verdict order">{told}</p>;
}

/** Says why time leaves all answers in their places. */
function whyKept(): string {
  const state = opened.value;
  if (state.state !== "open") return "";
  const { preset, isByMeaning } = state.summary;
  const own = { ...fittedOf(preset, isByMeaning), ...(isForAll.value ? weights.value : {}) };
  const isRecent = Object.entries(own).some(
    ([name, weight]) => OF_RECENCY.test(name) && weight !== 0,
  );
  return isRecent
    ? "By evidence, recency counts for little here beside the words."
    : "By evidence, recency has no weight in this memory. Fading changes the state, not the place.";
}

function Item({ answer }: { answer: AnswerOnDay }) {
  const { card, score, state, retrievability } = answer;
  const isOpen = recalledId() === card.id;
  const title = titleOf(card, SHORT);
  return (
    <li class={`s-${card.section}`} data-id={card.id}>
      <p class="place">
        {answer.rank}
        <Move answer={answer} />
      </p>
      <div class="told">
        <h3>{title}</h3>
        <Facts card={card} />
      </div>
      <p class="share" title="The probability that this memory answers the question">
        <span class="hidden">Probability </span>
        {percent(score)}
      </p>
      <div class={`held state-${state}`}>
        <span class="gauge" aria-hidden="true" title="Retrievability">
          <span style={{ width: `${retrievability * 100}%` }} />
        </span>
        <span>
          {nameOf(state)}: retrievability {percent(retrievability)}
          {isOpen ? ", without the recall" : ""}
        </span>
        {isOpen ? null : (
          <button
            type="button"
            class="more"
            aria-label={`Recall “${title}” on ${dayOf(dayNumber.value * DAY)}`}
            onClick={() => recall(card.id)}
          >
            Recall
          </button>
        )}
      </div>
      {isOpen ? <RecallPanel card={card} /> : null}
    </li>
  );
}

/** How many places a memory stands above or below today's. */
function Move({ answer: { rank, rankToday } }: { answer: AnswerOnDay }) {
  if (isToday.value || rankToday === rank) return null;
  if (rankToday === null)
    return (
      <span class="move up" title="Today it is behind the hundredth place">
        new<span class="hidden">: today it is behind the hundredth place</span>
      </span>
    );
  const by = rankToday - rank;
  const told = `${Math.abs(by)} ${Math.abs(by) === 1 ? "place" : "places"} ${by > 0 ? "higher" : "lower"} than today`;
  return (
    <span class={by > 0 ? "move up" : "move down"} title={told}>
      <span aria-hidden="true">
        {by > 0 ? "▲" : "▼"}
        {Math.abs(by)}
      </span>
      <span class="hidden">, {told}</span>
    </span>
  );
}
