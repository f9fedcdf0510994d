// Prompt: the prompt that an agent would get for a turn, and how it came about.

import { param, question } from "../../app/address.ts";
import { count, ms } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { memory, opened } from "../../memory/client.ts";
import type { Prompt } from "../../memory/context.ts";
import { Copy } from "../../parts/copy.tsx";
import { Waiting } from "../../parts/loading.tsx";
import { askedQuestion } from "../ask/suggestions.ts";
import { BudgetRows } from "./budget-rows.tsx";
import { changedBudgets } from "./budgets.ts";
import { LeftOut, Recalled } from "./found-lists.tsx";

const IDENTITY = "You are an assistant with a long memory.";
const identity = param("identity", IDENTITY);

export default function Context() {
  const built = useLive(() => {
    const request = {
      input: askedQuestion(),
      identity: identity.value,
      budgets: changedBudgets.value,
    };
    return () => memory.context(request);
  });
  const { value: answered, error } = built.value;
  const value = answered === undefined ? undefined : addedUp(answered);
  return (
    <div class="context">
      <header class="intro">
        <h1>The prompt of a turn</h1>
        <p class="lead">
          What an agent is given before it answers: the memories that may help with this turn,
          within a budget of tokens. nous-server builds the same prompt
          {isBySignals() ? " if it ranks by evidence: this one ranks by six signals" : ""}.
        </p>
      </header>
      <div class="columns">
        <div class="given">
          <label class="field">
            <span>Turn</span>
            <textarea
              rows={3}
              value={question.value}
              placeholder={askedQuestion() === "" ? "What the user says …" : askedQuestion()}
              maxLength={1000}
              onInput={(event) => question.set(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>Who the agent is</span>
            <input
              type="text"
              value={identity.value}
              maxLength={1000}
              onInput={(event) => identity.set(event.currentTarget.value)}
            />
          </label>
          {value === undefined ? null : <BudgetRows prompt={value} />}
        </div>
        <div class="made">
          {error === undefined ? null : (
            <p class="problem" role="alert">
              {error}
            </p>
          )}
          {value === undefined ? (
            <Waiting isFor={error === undefined} />
          ) : (
            <>
              <PromptText prompt={value} />
              <Recalled recalled={value.recalled} isBlank={isBlank()} />
              <LeftOut left={value.left} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

function PromptText({ prompt }: { prompt: Prompt }) {
  const { sections, tokens, budgets, filled, milliseconds } = prompt;
  return (
    <section class="prompt" aria-labelledby="prompt">
      <header>
        <h2 id="prompt">The prompt</h2>
        <Copy text={prompt.prompt} />
      </header>
      <p class="note" role="status">
        {count(tokens)} of {count(budgets.total!)} tokens, built in {ms(milliseconds)}.{" "}
        {filled > tokens
          ? `With all that was found it would have ${count(filled)}: ${count(filled - tokens)} are saved. `
          : ""}
        {isBlank() ? "" : searchOf(prompt)}
      </p>
      <div class="blocks">
        {sections.map(({ name, label, content, token_estimate, budget }) => (
          <section key={name} aria-label={label}>
            <h3>
              {label}
              <span class="quiet">
                {count(token_estimate)}
                {budget === null ? "" : ` of ${count(budget)}`} tokens
              </span>
            </h3>
            <pre>{content}</pre>
          </section>
        ))}
      </div>
    </section>
  );
}

/** Returns a prompt whose sections add up to its tokens: their estimates are rounded one by one. */
function addedUp(prompt: Prompt): Prompt {
  const sum = prompt.sections.reduce((all, { token_estimate }) => all + token_estimate, 0);
  let before = 0;
  let shared = 0;
  const sections = prompt.sections.map((section) => {
    before += section.token_estimate;
    const token_estimate = Math.round((prompt.tokens * before) / sum) - shared;
    shared += token_estimate;
    return { ...section, token_estimate };
  });
  return { ...prompt, sections };
}

/** Whether the server of the memory ranks by signals. */
const isBySignals = (): boolean =>
  opened.value.state === "open" && opened.value.summary.isBySignals;

/** Whether no turn is written yet. */
const isBlank = (): boolean => askedQuestion().trim() === "";

/** Says what the memory was asked for the turn. */
const searchOf = ({ asked }: Prompt): string =>
  asked === undefined
    ? "The turn asks for nothing, so that nothing was searched for."
    : "The whole turn was asked as one question.";
