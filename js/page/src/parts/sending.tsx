// Files for the memory of a server: what would be stored, then the storing with its progress, and what became
// of it.

import { signal } from "@preact/signals";
import * as Comlink from "comlink";
import { agentName, linkTo } from "../app/address.ts";
import { dropped } from "../app/dropped.ts";
import { count, counted, percent } from "../app/format.ts";
import { openAgain, openFiles } from "../app/opening.ts";
import { memory } from "../memory/client.ts";
import type { Plan, Sent, WrongLine } from "../memory/records.ts";
import { whyInWords } from "../memory/why-in-words.ts";
import { problem } from "./problem.ts";

/** Work that goes on. */
interface Working {
  step: "reading" | "storing";
  share: number;
}
type Settled =
  | { step: "planned"; plan: Plan }
  | { step: "stopped"; why: string; plan: Plan }
  | { step: "done"; plan: Plan; sent: Sent };

const state = signal<Working | Settled>({ step: "reading", share: 0 });

/** Reads the files that were dropped. */
export async function begin(): Promise<void> {
  const files = dropped.value;
  state.value = { step: "reading", share: 0 };
  try {
    const plan = await memory.plan([...files], Comlink.proxy(report("reading")));
    if (files === dropped.value) state.value = { step: "planned", plan };
  } catch (error) {
    if (files !== dropped.value) return;
    end();
    problem.value = error instanceof Error ? error.message : String(error);
  }
}

/** Reports come over a channel of their own, also after the answer. */
const report = (step: "reading" | "storing") => (share: number) => {
  if (state.value.step === step) state.value = { step, share };
};

function end(): void {
  dropped.value = [];
}

async function store(plan: Plan): Promise<void> {
  state.value = { step: "storing", share: 0 };
  try {
    const sent = await memory.send(Comlink.proxy(report("storing")));
    state.value = { step: "done", plan, sent };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    state.value = { step: "stopped", why, plan };
    return;
  }
  await showStored();
}

/** Shows the memory with what was stored. */
async function showStored(): Promise<void> {
  problem.value = (await openAgain()) ?? "";
  location.hash = linkTo("memories");
}

async function openHere(): Promise<void> {
  const files = dropped.value;
  end();
  problem.value = (await openFiles(files)) ?? "";
}

export default function Sending() {
  const now = state.value;
  return (
    <div class="sending" role="status">
      {"share" in now ? (
        <p>
          {now.step === "reading" ? "Reading the files" : "Storing"} …{" "}
          <progress value={now.share} max={1} aria-label="Share that is done" />{" "}
          {percent(now.share)}
        </p>
      ) : (
        <Told state={now} />
      )}
    </div>
  );
}

function Told({ state: now }: { state: Settled }) {
  const { plan } = now;
  const memories = counted(plan.memories, "memory", "memories");
  if (now.step === "done") {
    const { added, refused, refusedCount } = now.sent;
    return (
      <>
        <p>
          Stored on the server: {counted(added, "memory", "memories")}.{thereIn(plan)}
        </p>
        <Refused plan={plan} />
        {refusedCount === 0 ? null : (
          <Reasons
            summary={`The server refused ${counted(refusedCount, "row", "rows")}.`}
            rows={refused.map(({ id, why }) => [id, why])}
            all={refusedCount}
          />
        )}
        <button type="button" onClick={end}>
          Close
        </button>
      </>
    );
  }
  if (now.step === "stopped")
    return (
      <>
        <p class="problem" role="alert">
          The storing stopped: {now.why} What was stored stays, and nothing is stored twice.
        </p>
        <div class="actions">
          <button type="button" class="primary" onClick={() => void store(plan)}>
            Go on
          </button>
          <button
            type="button"
            onClick={() => {
              end();
              void showStored();
            }}
          >
            Stop here
          </button>
        </div>
      </>
    );
  return (
    <>
      <p>
        {plan.memories === 0
          ? "Nothing in the files is new."
          : `The files hold ${memories} for the agent “${agentName.value}”. Nothing is stored yet.`}
        {thereIn(plan)}
      </p>
      <Refused plan={plan} />
      <div class="actions">
        {plan.memories === 0 ? null : (
          <button type="button" class="primary" onClick={() => void store(plan)}>
            Store {memories} on the server
          </button>
        )}
        <button type="button" onClick={() => void openHere()}>
          Open in this page alone
        </button>
        <button type="button" onClick={end}>
          Cancel
        </button>
      </div>
    </>
  );
}

const thereIn = ({ there }: Plan): string =>
  there === 0 ? "" : ` ${counted(there, "memory is", "memories are")} there already.`;

/** What of the files cannot be read, and what is left out by rule. */
function Refused({ plan: { wrong, wrongCount, left } }: { plan: Plan }) {
  return (
    <>
      {left.length === 0 ? null : (
        <p class="hint">
          Left out:{" "}
          {left.map(({ name, count: many }) => `${counted(many, "time")} ${name}`).join("; ")}.
        </p>
      )}
      {wrongCount === 0 ? null : (
        <Reasons
          summary={`${counted(wrongCount, "place is", "places are")} not taken.`}
          rows={wrong.map((one) => [placeOf(one), whyInWords(one.why)])}
          all={wrongCount}
        />
      )}
    </>
  );
}

const placeOf = ({ file, line, of = "line" }: WrongLine): string =>
  line === null ? file : `${file}, ${of} ${line}`;

interface ReasonsProps {
  summary: string;
  rows: readonly (readonly [place: string, why: string])[];
  /** How many there are, with those that are not listed. */
  all: number;
}

function Reasons({ summary, rows, all }: ReasonsProps) {
  return (
    <details class="wrong" open={rows.length <= 5}>
      <summary>{summary}</summary>
      <ul>
        {rows.map(([place, why]) => (
          <li key={`${place} ${why}`}>
            {place}: {why}
          </li>
        ))}
      </ul>
      {all > rows.length ? <p class="hint">And {count(all - rows.length)} more.</p> : null}
    </details>
  );
}
