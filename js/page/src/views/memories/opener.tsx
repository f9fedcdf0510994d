// The sources of a memory: files, a server, or the memory saved in this browser.

import { useSignal } from "@preact/signals";
import { agentName, question, serverUrl } from "../../app/address.ts";
import { clearFilters } from "../../app/filters.ts";
import { HERE, hasKept, keptKey, openKept, openServer, thisServer } from "../../app/opening.ts";
import { isOfServer, memory } from "../../memory/client.ts";
import { DropZone } from "../../parts/drop-zone.tsx";
import { problem } from "../../parts/problem.ts";
import { Confirm } from "./confirm.tsx";

export function Opener() {
  return (
    <div class="opener">
      {isOfServer() ? null : <DropZone />}
      <ServerForm />
      {hasKept.value ? <Kept /> : null}
      {problem.value === "" ? null : (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </div>
  );
}

function ServerForm() {
  const here = thisServer.value;
  // The form shows the agent that is open.
  const isOpen = isOfServer();
  const shown = isOpen && serverUrl.value !== "" ? serverUrl.value : here === undefined ? "" : HERE;
  const url = useSignal(shown);
  const agent = useSignal(isOpen ? agentName.value : (here?.agent ?? "default"));
  const key = useSignal(shown === "" ? "" : keptKey(shown));
  const keepsKey = useSignal(false);
  const connect = async () => {
    problem.value = "";
    const address = { url: url.value, agent: agent.value, key: key.value };
    const why = await openServer(address, keepsKey.value);
    problem.value = why ?? "";
    if (why !== undefined) return;
    question.set("");
    clearFilters();
  };
  return (
    <section aria-label="A server">
      <h2>A server</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void connect();
        }}
      >
        <label class="whole">
          Address
          <input
            type="text"
            inputMode="url"
            required
            placeholder="http://localhost:3100"
            spellcheck={false}
            autocomplete="off"
            value={url.value}
            onInput={(event) => {
              url.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          Agent
          <input
            type="text"
            required
            list="agents"
            spellcheck={false}
            autocomplete="off"
            value={agent.value}
            onInput={(event) => {
              agent.value = event.currentTarget.value;
            }}
          />
          <datalist id="agents">
            {(here?.agents ?? []).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          Key
          <input
            type="password"
            placeholder={here?.needsKey ? "it asks for one" : "if it has keys"}
            autocomplete="off"
            value={key.value}
            onInput={(event) => {
              key.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="check whole">
          <input
            type="checkbox"
            checked={keepsKey.value}
            onChange={(event) => {
              keepsKey.value = event.currentTarget.checked;
            }}
          />
          Keep the key until this tab is closed
        </label>
        <div class="actions whole">
          <button type="submit" class="primary">
            Connect
          </button>
          {here === undefined || url.value === HERE ? null : (
            <button
              type="button"
              onClick={() => {
                url.value = HERE;
                agent.value = here.agent ?? "default";
              }}
            >
              This server
            </button>
          )}
        </div>
      </form>
      <p class="hint">
        {here === undefined || url.value !== HERE
          ? "The page talks to this server alone. What you add, edit and delete changes there, too."
          : "This is the server that serves the page. What you add, edit and delete changes there, too."}
      </p>
    </section>
  );
}

/** The memory saved in this browser. */
function Kept() {
  return (
    <section class="kept" aria-label="Kept in this browser">
      <p>A memory is kept in this browser.</p>
      <div class="actions">
        <button
          type="button"
          onClick={async () => {
            problem.value = (await openKept()) ?? "";
          }}
        >
          Open it
        </button>
        <ForgetButton />
      </div>
    </section>
  );
}

/** Deletes the saved memory. The open memory stays. */
export function ForgetButton() {
  const isAsking = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        Delete what is kept
      </button>
      {isAsking.value ? (
        <Confirm
          title="Delete what is kept?"
          close={async (isWanted) => {
            isAsking.value = false;
            if (!isWanted) return;
            await memory.forget();
            hasKept.value = false;
            document.getElementById("main")?.focus();
          }}
        >
          <p class="hint">
            The memory and its changes are removed from this browser for good. If it is open, it
            stays so until the page is closed: download it first to have it again.
          </p>
        </Confirm>
      ) : null}
    </>
  );
}
