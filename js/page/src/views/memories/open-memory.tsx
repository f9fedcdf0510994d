// The open memory: its size, and the actions on it as a whole.

import { useSignal } from "@preact/signals";
import { count, counted, daysOf, SECTION_NAMES, SECTIONS } from "../../app/format.ts";
import { hasKept } from "../../app/opening.ts";
import { memory, memoryChanged } from "../../memory/client.ts";
import type { Summary } from "../../memory/records.ts";
import { MeaningPanel } from "../../parts/meaning.tsx";
import { whyNot } from "../../parts/problem.ts";
import { ForgetButton } from "./opener.tsx";

export function OpenMemory({ summary, isAnyKept }: { summary: Summary; isAnyKept: boolean }) {
  const { name, memories, edges, runs, first, last, bySection, source } = summary;
  const { awaited, isKept, canUndo, learnedSteps, isBySignals } = summary;
  const why = useSignal("");
  const done = useSignal("");
  const act = async (work: () => Promise<unknown>, said: string) => {
    done.value = "";
    why.value = await whyNot(work);
    if (why.value === "") done.value = said;
    await memoryChanged();
  };
  const keep = async () => {
    await memory.keep();
    hasKept.value = true;
  };
  return (
    <section class="open-memory" aria-label="The memory that is open">
      <h2>
        {source === "server" ? `Agent “${name}”` : source === "sample" ? `Sample: ${name}` : name}
      </h2>
      <p class="facts">
        <span>
          {awaited === 0
            ? counted(memories, "memory", "memories")
            : `${count(memories)} of ${count(memories + awaited)} memories loaded`}
        </span>
        {runs === 0 ? null : (
          <span>
            {counted(runs, "conversation, day or document", "conversations, days or documents")}
          </span>
        )}
        {edges === 0 ? null : <span>{counted(edges, "link")}</span>}
        {memories === 0 ? null : <span>{daysOf(first, last)}</span>}
      </p>
      {memories === 0 ? null : (
        <p class="facts">
          {SECTIONS.filter((section) => bySection[section] > 0).map((section) => (
            <span key={section} class={`section s-${section}`}>
              {SECTION_NAMES[section]} {count(bySection[section])}
            </span>
          ))}
        </p>
      )}
      <div class="actions">
        {memories === 0 ? null : (
          <button
            type="button"
            onClick={() => act(() => download(name), "The file is on its way.")}
          >
            Download as JSONL
          </button>
        )}
        {canUndo ? (
          <button type="button" onClick={() => act(() => memory.undo(), "Undone.")}>
            Undo the last change
          </button>
        ) : null}
        {source === "files" || source === "kept" || source === "new" ? (
          isKept && isAnyKept ? (
            <ForgetButton />
          ) : (
            <button
              type="button"
              onClick={() => act(keep, "Kept. It opens here again, also without a network.")}
            >
              Keep in this browser
            </button>
          )
        ) : null}
      </div>
      {memories === 0 || awaited > 0 ? null : <MeaningPanel />}
      {isBySignals ? (
        <p class="hint">
          The server ranks by six signals, the page by evidence: answers may differ. Sections shows
          both.
        </p>
      ) : null}
      {learnedSteps === 0 ? null : (
        <p class="hint">
          {source === "server"
            ? "The server ranks by learned weights, too. The page ranks without them: scores may differ."
            : `It holds learned weights, of ${counted(learnedSteps, "step")}. The page ranks without them, as a server with --learning off does. The download keeps them.`}
        </p>
      )}
      <p class="hint" role="status">
        {done.value === "" ? hintOf(summary, isAnyKept) : done.value}
      </p>
      {why.value === "" ? null : (
        <p class="problem" role="alert">
          {why.value}
        </p>
      )}
    </section>
  );
}

/** Returns a sentence on where changes are saved. */
function hintOf({ source, isKept }: Summary, isAnyKept: boolean): string {
  if (source === "server") return "Changes are made on the server, and then here.";
  if (source === "sample") return "Changes to a sample last until the page is loaded again.";
  return isKept && isAnyKept
    ? "Kept in this browser, with its changes."
    : "It is gone when the page is closed, unless you keep it in this browser.";
}

/** Saves the memory as a file that `nous-server import` reads. */
async function download(name: string): Promise<void> {
  const url = URL.createObjectURL(await memory.download());
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replace(/\.jsonl$/i, "").replace(/[^\p{L}\p{N}.-]+/gu, "-")}.jsonl`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
