// How the server is whose memory is open: readiness, counts, metrics.

import { useSignal } from "@preact/signals";
import type { StoredLifecycleState } from "nous-wasm";
import { useEffect } from "preact/hooks";
import { count } from "../../app/format.ts";
import { openAgain } from "../../app/opening.ts";
import { generation, memory } from "../../memory/client.ts";
import type { ServerState } from "../../memory/records.ts";
import { problem } from "../../parts/problem.ts";

/** In the order in which a memory passes through them. */
const STATES: readonly StoredLifecycleState[] = [
  "ACTIVE",
  "WEAK",
  "DORMANT",
  "COMPRESS",
  "ARCHIVE",
  "DELETED",
];

export function ServerPanel() {
  const state = useSignal<ServerState | undefined>(undefined);
  const refresh = async () => {
    state.value = await memory.serverState();
  };
  // A change of the memory changes the counts.
  const changed = generation.value;
  useEffect(() => void refresh(), [changed]);
  const { value } = state;
  if (value === undefined) return null;
  const { url, agent, isReady, why, memories, edges, lifecycle = {}, metrics, metricsWhy } = value;
  return (
    <section class="server" aria-label="The server">
      <div class="row">
        <h2>The server</h2>
        <button type="button" class="more" onClick={() => void refresh()}>
          Refresh
        </button>
        <button type="button" class="more" onClick={() => void readAgain()}>
          Read the memory again
        </button>
      </div>
      <p class="facts">
        <span class={isReady ? "state ready" : "state"} role="status">
          {isReady ? "Ready" : "Not ready"}
        </span>
        <span>{url}</span>
        <span>agent {agent}</span>
      </p>
      {why === undefined ? null : <p class="problem">{why}</p>}
      <dl class="figures">
        {memories === undefined ? null : <Figure name="Memories" value={count(memories)} />}
        {edges === undefined ? null : <Figure name="Links" value={count(edges)} />}
        {STATES.filter((name) => lifecycle[name] !== undefined).map((name) => (
          <Figure key={name} name={name.toLowerCase()} value={count(lifecycle[name]!)} />
        ))}
      </dl>
      {metrics === undefined ? null : (
        <>
          <p class="hint">The whole server, with all its agents:</p>
          <dl class="figures">
            {metrics.map(({ name, value }) => (
              <Figure key={name} name={name} value={value} />
            ))}
          </dl>
        </>
      )}
      {metricsWhy === undefined ? null : <p class="hint">No metrics: {metricsWhy}</p>}
    </section>
  );
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** Reads the memory again, since others change it. */
async function readAgain(): Promise<void> {
  problem.value = (await openAgain()) ?? "";
}
