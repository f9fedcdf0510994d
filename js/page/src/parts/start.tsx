// The page over an empty memory: a box for the first memory, examples, files, samples.

import { useRef } from "preact/hooks";
import { agentName, serverUrl } from "../app/address.ts";
import { chooseSample, openAgent, thisServer } from "../app/opening.ts";
import { opened } from "../memory/client.ts";
import { SAMPLE_NAMES, type SampleName } from "../memory/sample-names.ts";
import { DropZone } from "./drop-zone.tsx";
import { problem } from "./problem.ts";
import { draft, RememberBox } from "./remember.tsx";

const EXAMPLES = [
  "Mira eats no dairy since March.",
  "We deploy on Tuesdays, never on Fridays.",
  "The staging database is restored from Sunday's backup.",
];

export default function Start() {
  const box = useRef<HTMLTextAreaElement>(null);
  const state = opened.value;
  const isServer = state.state === "open" && state.summary.source === "server";
  return (
    <div class="start">
      <header>
        <h1>Nothing is stored yet</h1>
        <p class="lead">
          Write what {isServer ? `the agent “${agentName.value}”` : "your agent"} should remember.
          Then ask, and see which memory comes up, and why.
          {isServer
            ? " What you write is stored on the server."
            : " What you write stays in this page."}
        </p>
      </header>
      <RememberBox box={box} label="What should be remembered?" />
      <ul class="chips" aria-label="Examples">
        {EXAMPLES.map((example) => (
          <li key={example}>
            <button
              type="button"
              onClick={() => {
                draft.value = example;
                box.current?.focus();
              }}
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
      <DropZone />
      {problem.value === "" ? null : (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <p class="start-others">
        Or look at a sample:{" "}
        {Object.entries(SAMPLE_NAMES).map(([name, title]) => (
          <button key={name} type="button" onClick={() => void chooseSample(name as SampleName)}>
            {title}
          </button>
        ))}
      </p>
      {isServer ? <OtherAgents /> : null}
    </div>
  );
}

/** The other agents of the server that serves the page. */
function OtherAgents() {
  if (serverUrl.value !== "") return null;
  const names = (thisServer.value?.agents ?? []).filter((name) => name !== agentName.value);
  if (names.length === 0) return null;
  const open = async (agent: string) => {
    problem.value = (await openAgent(agent)) ?? "";
  };
  return (
    <p class="start-others">
      Or open another agent of this server:{" "}
      {names.slice(0, 10).map((name) => (
        <button key={name} type="button" onClick={() => void open(name)}>
          {name}
        </button>
      ))}
    </p>
  );
}
