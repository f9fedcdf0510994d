// Memories: opens files and servers; lists, edits and exports the memory that is open.

import { dropped } from "../../app/dropped.ts";
import { hasKept } from "../../app/opening.ts";
import { isOfServer, opened } from "../../memory/client.ts";
import { DropZone } from "../../parts/drop-zone.tsx";
import { Loading } from "../../parts/loading.tsx";
import { problem } from "../../parts/problem.ts";
import { LatestStored, RememberBox } from "../../parts/remember.tsx";
import { Browse } from "./browse.tsx";
import { Conflicts } from "./conflicts.tsx";
import { OpenMemory } from "./open-memory.tsx";
import { Opener } from "./opener.tsx";
import { ServerPanel } from "./server-panel.tsx";
import { WrongLines } from "./wrong-lines.tsx";

/** A box for a memory of the one that is open, and what it became. */
function Adding() {
  return (
    <section class="adding" aria-label="Remember">
      <RememberBox label="What should be remembered?" />
      <LatestStored />
      {isOfServer() ? (
        <details class="another" open={dropped.value.length > 0}>
          <summary>Store files</summary>
          <DropZone />
          {problem.value === "" ? null : (
            <p class="problem" role="alert">
              {problem.value}
            </p>
          )}
        </details>
      ) : null}
    </section>
  );
}

export default function Memories() {
  const state = opened.value;
  const isOwn = state.state === "open" && state.summary.source !== "sample";
  return (
    <div class="memories">
      <header>
        <h1>Memories</h1>
        <p class="lead">
          {state.state === "open" && state.summary.source === "server"
            ? "The memory of a server is open. Questions are answered in this page; what you add, edit and delete goes to the server."
            : "Open your own notes and conversations, and ask them. Files are read in this page, and are not uploaded."}
        </p>
      </header>
      {state.state === "opening" ? (
        <Loading progress={state.progress} />
      ) : (
        <>
          {isOwn ? (
            <details class="another">
              <summary>Open another memory</summary>
              <Opener />
            </details>
          ) : (
            <Opener />
          )}
          {state.state === "failed" ? (
            <p class="problem" role="alert">
              {state.why}
            </p>
          ) : (
            <>
              <Adding />
              <OpenMemory summary={state.summary} isAnyKept={hasKept.value} />
              <WrongLines summary={state.summary} />
              {state.summary.source === "server" ? <ServerPanel /> : null}
              <Conflicts />
              <Browse isOnServer={state.summary.source === "server"} />
            </>
          )}
        </>
      )}
    </div>
  );
}
