// Where files are dropped, or chosen. They open in the page; over the memory of a server they are offered to
// it.

import { useSignal } from "@preact/signals";
import { lazy, Suspense } from "preact/compat";
import { dropped } from "../app/dropped.ts";
import { clearFilters } from "../app/filters.ts";
import { openFiles } from "../app/opening.ts";
import { isOfServer } from "../memory/client.ts";
import { problem } from "./problem.ts";

/** Comes with the first files for a server. */
const sending = () => import("./sending.tsx");
const Sending = lazy(sending);

async function openAll(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  problem.value = "";
  if (isOfServer()) {
    dropped.value = files;
    const { begin } = await sending();
    return begin();
  }
  clearFilters();
  problem.value = (await openFiles(files)) ?? "";
}

export function DropZone() {
  const isOver = useSignal(false);
  return (
    <section aria-label="Files">
      <h2>Files</h2>
      {isOfServer() && dropped.value.length > 0 ? (
        <Suspense fallback={null}>
          <Sending />
        </Suspense>
      ) : null}
      <label
        class={isOver.value ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => {
          isOver.value = false;
        }}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          void openAll(Array.from(event.dataTransfer?.files ?? []));
        }}
      >
        <input
          type="file"
          multiple
          class="hidden"
          aria-label="Choose files"
          onChange={(event) => {
            void openAll(Array.from(event.currentTarget.files ?? []));
            // The same files can be chosen again.
            event.currentTarget.value = "";
          }}
        />
        <strong>Drop files here, or choose them</strong>
        <span class="formats">
          <span>nous-server: an export (.jsonl)</span>
          <span>ChatGPT, Claude: the export (.zip), or its conversations.json</span>
          <span>Markdown: a memory for each heading</span>
          <span>Text: a memory for each paragraph</span>
        </span>
      </label>
      <p class="hint">
        {isOfServer()
          ? "The files are read in this page, which shows what they hold. The server gets what you then store."
          : "The files stay on this device. No byte of them is sent anywhere."}
      </p>
    </section>
  );
}
