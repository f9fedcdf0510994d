// Shown in place of a view while a memory opens, and of what an empty memory lacks.

import { linkTo } from "../app/address.ts";
import { percent } from "../app/format.ts";
import type { Progress } from "../memory/open.ts";

const STEPS: Readonly<Record<Progress["step"], string>> = {
  fetching: "Fetching the memory",
  asking: "Asking the server for its memories",
  reading: "Reading the memory",
  words: "Fetching the word vectors",
  indexing: "Making the index",
};

export function Loading({ progress: { step, share } }: { progress: Progress }) {
  return (
    <div class="loading" role="status">
      <p>
        {STEPS[step]}: {percent(share)}
      </p>
      <progress value={share} max={1} aria-label={STEPS[step]} />
    </div>
  );
}

/** Says that the memory is empty, and what to do. */
export const Nothing = ({ so = "" }: { so?: string }) => (
  <p class="quiet">
    Nothing is stored yet{so}. <a href={linkTo("ask")}>Write the first memory</a>.
  </p>
);

/** Says that the first result of a view is under way, if it takes long enough to wonder. */
export const Waiting = ({ isFor }: { isFor: boolean }) =>
  isFor ? <p class="quiet late">Computing …</p> : null;
