// Your memories: opens files and servers; lists, edits and exports the memory that is open.

import { hasKept } from "../../app/opening.ts";
import { opened } from "../../memory/client.ts";
import { Loading } from "../../parts/loading.tsx";
import { Browse } from "./browse.tsx";
import { Conflicts } from "./conflicts.tsx";
import { OpenMemory } from "./open-memory.tsx";
import { Opener } from "./opener.tsx";
import { ServerPanel } from "./server-panel.tsx";
import { WrongLines } from "./wrong-lines.tsx";

export default function Memories() {
  const state = opened.value;
  const isOwn = state.state === "open" && state.summary.source !== "sample";
  return (
    <div class="memories">
      <header>
        <h1>Your memories</h1>
        <p class="lead">
          {state.state === "open" && state.summary.source === "server"
            ? "The memory of a server is open. Questions are answered in this page; edits and deletions go to the server."
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
