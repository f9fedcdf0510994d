// Where files are dropped, or chosen. They open in the page.

import { useSignal } from "@preact/signals";
import { clearFilters } from "../app/filters.ts";
import { openFiles } from "../app/opening.ts";
import { problem } from "./problem.ts";

async function openAll(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  problem.value = "";
  clearFilters();
  problem.value = (await openFiles(files)) ?? "";
}

export function DropZone() {
  const isOver = useSignal(false);
  return (
    <section aria-label="Files">
      <h2>Files</h2>
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
      <p class="hint">The files stay on this device. No byte of them is sent anywhere.</p>
    </section>
  );
}
