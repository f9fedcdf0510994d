// Says how much of a memory is here while the rest follows, at the foot of the window. The views ask again
// whenever twice as many memories are here, and at the end: a list that changes with each page could not be
// read.

import { useSignal } from "@preact/signals";
import * as Comlink from "comlink";
import { useEffect } from "preact/hooks";
import { count } from "../app/format.ts";
import { openAgain } from "../app/opening.ts";
import { memory, memoryChanged } from "../memory/client.ts";
import type { Summary } from "../memory/records.ts";
import { isInUse } from "./in-use.ts";
import { whyNot } from "./problem.ts";

/** The bar. It is there for each memory that is opened before all of it is here. */
export default function Arriving({ memories, awaited }: Pick<Summary, "memories" | "awaited">) {
  const there = useSignal(memories);
  const all = useSignal(memories + awaited);
  const why = useSignal("");
  useEffect(() => {
    let isOver = false;
    let asked = memories;
    const tell = (here: number) => {
      if (isOver) return;
      there.value = here;
      all.value = Math.max(all.value, here);
      if (here < 2 * asked || isInUse()) return;
      asked = here;
      void memoryChanged();
    };
    void whyNot(() => memory.untilWhole(Comlink.proxy(tell))).then((found) => {
      if (isOver) return;
      why.value = found;
      if (found === "") void memoryChanged();
    });
    return () => {
      isOver = true;
    };
  }, []);
  return (
    <aside class="meaning bar-below" aria-label="Loading the memory">
      {why.value === "" ? (
        <>
          <span role="status">The newest memories are here, the others follow.</span>
          <progress value={there.value} max={all.value} aria-label="Memories loaded" />
        </>
      ) : (
        <span class="problem" role="alert">
          {why.value}
        </span>
      )}
      <span>
        {count(there.value)} of {count(all.value)} memories loaded
      </span>
      {why.value === "" ? null : (
        <button type="button" onClick={() => void openAgain()}>
          Read it again
        </button>
      )}
    </aside>
  );
}
