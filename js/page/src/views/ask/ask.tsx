// Ask: a question, what was understood of it, and the answers with their evidence.

import { useEffect, useRef } from "preact/hooks";
import { memoryName, question } from "../../app/address.ts";
import { count, dayOf, ms, percent, SECTION_NAMES } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory } from "../../memory/client.ts";
import type { Answered, Understood } from "../../memory/records.ts";
import { AnswerItem } from "./answer-item.tsx";
import { suggestionsFor } from "./suggestions.ts";

export function Ask() {
  const box = useRef<HTMLInputElement>(null);
  const suggestions = suggestionsFor(memoryName.value);
  // The page opens with an answer.
  const asked = question.value === "" ? (suggestions[0] ?? "") : question.value;
  const answered = useLive(() => {
    const text =
      (question.value === "" ? suggestionsFor(memoryName.value)[0] : question.value) ?? "";
    return text.trim() === "" ? undefined : () => memory.ask({ question: text });
  });
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const { value, error } = answered.value;
  return (
    <div class="ask">
      <h1 class="hidden">Ask the memory</h1>
      <search>
        <label class="question">
          <span class="hidden">Question</span>
          <input
            ref={box}
            type="search"
            value={question.value}
            placeholder={asked === "" ? "Ask the memory …" : asked}
            autocomplete="off"
            spellcheck={false}
            maxLength={1000}
            onInput={(event) => question.set(event.currentTarget.value)}
          />
        </label>
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
      </search>
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {value === undefined ? null : <Answers answered={value} />}
    </div>
  );
}

function Answers({ answered }: { answered: Answered }) {
  const { answers, isAnswerable, understood, milliseconds, among } = answered;
  const full = Math.max(...answers.map(({ reasons }) => reasons?.sum ?? 0), 0);
  return (
    <>
      <UnderstoodLine understood={understood} />
      <p class="verdict" role="status">
        {answers.length === 0
          ? "Nothing in this memory has to do with the question."
          : isAnswerable
            ? `Found in ${ms(milliseconds)} among ${count(among)} memories.`
            : `This memory probably holds no answer: the nearest reaches ${percent(answers[0]!.score)}.`}
      </p>
      <ol class={isAnswerable ? "answers" : "answers unsure"}>
        {answers.map((shown) => (
          <AnswerItem key={shown.card.id} shown={shown} full={full} />
        ))}
      </ol>
    </>
  );
}

/** The line that says what the engine understood of the question. */
function UnderstoodLine({ understood }: { understood: Understood }) {
  const { times, parts, intents, words } = understood;
  const DAY = 86_400_000;
  return (
    <dl class="understood" aria-label="Understood">
      {words.length === 0 ? null : (
        <div>
          <dt>words</dt>
          <dd>{words.join(" · ")}</dd>
        </div>
      )}
      {times.map((time) => (
        <div key={time.text}>
          <dt>time</dt>
          <dd>
            “{time.text}”: {dayOf(time.start)}
            {time.end - time.start > DAY ? ` to ${dayOf(time.end - 1)}` : ""}
          </dd>
        </div>
      ))}
      {parts.length < 2 ? null : (
        <div>
          <dt>parts</dt>
          <dd>{parts.map((part) => `“${part}”`).join(" and ")}</dd>
        </div>
      )}
      {intents.length === 0 ? null : (
        <div>
          <dt>asks for</dt>
          <dd>{intents.map((section) => SECTION_NAMES[section].toLowerCase()).join(", ")}</dd>
        </div>
      )}
    </dl>
  );
}
