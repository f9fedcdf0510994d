// Sections: the weights of the sections as sliders, and the answers that follow as they move.

import { useEffect } from "preact/hooks";
import { param } from "../../app/address.ts";
import { count } from "../../app/format.ts";
import { useLive } from "../../app/hooks.ts";
import { isForAll, resetWeights, setForAll, weights } from "../../app/weights.tsx";
import { memory, opened } from "../../memory/client.ts";
import { Waiting } from "../../parts/loading.tsx";
import { QuestionLine } from "../../parts/question-line.tsx";
import { askedQuestion } from "../ask/suggestions.ts";
import { edits, profilesOf, resetProfiles } from "./edits.ts";
import { EvidenceCards } from "./evidence-cards.tsx";
import { Export } from "./export.tsx";
import { MovedList } from "./moved-list.tsx";
import { SignalCards } from "./signal-cards.tsx";

/** The size of the memory with which speed can be tried. */
const MANY = 10_000;

const by = param("by", "");
const size = param("size", "");
const among = param("among", "best");

/** The ranking that is shown: that of the server, until the visitor chooses. */
function shownRanking(): "evidence" | "signals" {
  if (by.value !== "") return by.value === "signals" ? "signals" : "evidence";
  const state = opened.value;
  return state.state === "open" && state.summary.isBySignals ? "signals" : "evidence";
}

export default function Sections() {
  useEffect(() => () => void memory.forgetRanks(), []);
  const isBySignals = shownRanking() === "signals";
  const isChanged = Object.keys(weights.value).length > 0 || Object.keys(edits.value).length > 0;
  return (
    <div class="sections">
      <header class="intro">
        <h1>Sections and weights</h1>
        <p class="lead">
          Every memory belongs to one of four sections. They are searched together, and each weighs
          in its own way. Move a slider, and the answers follow.
        </p>
        <div class="choices">
          <fieldset class="switch">
            <legend class="hidden">Ranking</legend>
            <Choice name="evidence" label="By evidence" />
            <Choice name="signals" label="By six signals" />
          </fieldset>
          <button
            type="button"
            disabled={!isChanged}
            onClick={() => {
              resetWeights();
              resetProfiles();
            }}
          >
            Reset all
          </button>
          {isBySignals ? null : (
            <label class="check">
              <input
                type="checkbox"
                checked={isForAll.value}
                disabled={Object.keys(weights.value).length === 0}
                onChange={(event) => setForAll(event.currentTarget.checked)}
              />
              Use for all views
            </label>
          )}
        </div>
      </header>
      <div class="columns">
        <div class="results">
          <Results isBySignals={isBySignals} />
        </div>
        <div class="weights">
          {isBySignals ? <BySignals /> : <ByEvidence />}
          <Export />
        </div>
      </div>
    </div>
  );
}

function Choice({ name, label }: { name: string; label: string }) {
  return (
    <label>
      <input
        type="radio"
        name="by"
        checked={shownRanking() === name}
        onChange={() => by.set(name)}
      />
      <span>{label}</span>
    </label>
  );
}

function ByEvidence() {
  const state = opened.value;
  if (state.state !== "open") return null;
  const { preset, isByMeaning, bySection } = state.summary;
  return (
    <>
      <p class="note">
        Each kind of evidence adds points to a memory: its strength times its weight. A weight below
        0 takes points away. The mark below a slider is the fitted weight ({preset}). With other
        weights trust the order more than the percentage.
      </p>
      <EvidenceCards preset={preset} isByMeaning={isByMeaning} sizes={bySection} />
    </>
  );
}

function BySignals() {
  const profiles = useLive(() => () => memory.profiles());
  const states = useLive(() => {
    const changed = profilesOf(edits.value);
    return () => memory.states(changed);
  });
  const { value } = profiles.value;
  if (value === undefined) return <Waiting isFor={profiles.value.error === undefined} />;
  return <SignalCards profiles={value} states={states.value.value} />;
}

function Results({ isBySignals }: { isBySignals: boolean }) {
  const ranked = useLive(() => {
    const text = askedQuestion();
    const min = size.value === `${MANY}` ? MANY : 0;
    const isAll = among.value === "all";
    const given =
      shownRanking() === "signals"
        ? { ranking: "signals" as const, profiles: profilesOf(edits.value), isAll }
        : { ranking: "evidence" as const, weights: weights.value };
    return text.trim() === "" ? undefined : () => memory.rank({ question: text, by: given, min });
  });
  const { value, error } = ranked.value;
  const ranking = isBySignals ? "signals" : "evidence";
  const isMany = size.value === `${MANY}`;
  const state = opened.value;
  // A memory of that size needs no filling.
  const isLarge = state.state === "open" && state.summary.memories >= MANY;
  return (
    <section class="answers-here" aria-labelledby="answers-here">
      <h2 id="answers-here">Answers</h2>
      <QuestionLine default={askedQuestion() === "" ? "Ask the memory …" : askedQuestion()} />
      {error === undefined ? null : (
        <p class="problem" role="alert">
          These settings do not work: {error}
        </p>
      )}
      {value === undefined || value.ranking !== ranking ? (
        <Waiting isFor={error === undefined && askedQuestion().trim() !== ""} />
      ) : (
        <MovedList rerank={value} isShare={value.ranking === "evidence"} />
      )}
      {isBySignals ? (
        <label class="check">
          <input
            type="checkbox"
            checked={among.value === "all"}
            onChange={(event) => among.set(event.currentTarget.checked ? "all" : "best")}
          />
          Rank all memories, not only the best by meaning and words
        </label>
      ) : null}
      {isLarge ? null : (
        <p class="note">
          {!isMany
            ? ""
            : value === undefined || value.among < MANY
              ? `Making ${count(MANY)} memories … `
              : "Your memories, and others made of their words for this test. They go when you leave. "}
          <button type="button" class="link" onClick={() => size.set(isMany ? "" : `${MANY}`)}>
            {isMany ? "Back to the memory that is open" : `Try with ${count(MANY)} memories`}
          </button>
        </p>
      )}
    </section>
  );
}
