// Weights of evidence that the visitor changed. They are in the address. Views other than Sections
// use them only if the visitor says so; then the frame says it, too.

import { computed, effect } from "@preact/signals";
import { KINDS } from "../evidence/kinds.ts";
import { generation, memory, opened } from "../memory/client.ts";
import type { Weights } from "../memory/sections.ts";
import { param } from "./address.ts";
import { asPairs, numberIn, pairsIn } from "./pairs.ts";

/** The greatest size of a weight that the page offers. */
export const MAX_WEIGHT = 4;

const written = param("w", "");
const use = param("use", "");

/** The changed weights by the name of their kind. */
export const weights = computed<Weights>(() => {
  const known = pairsIn(written.value).flatMap(([name, text]): [string, number][] => {
    const value = numberIn(text, -MAX_WEIGHT, MAX_WEIGHT);
    return value === undefined || !Object.hasOwn(KINDS, name) ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
});

/** Changes a weight; undefined makes it the default again. */
export function setWeight(name: string, value: number | undefined): void {
  const { [name]: _, ...others } = weights.peek();
  written.set(asPairs(Object.entries(value === undefined ? others : { ...others, [name]: value })));
}

/** Makes all weights the default ones again. */
export function resetWeights(): void {
  written.set("");
  use.set("");
}

/** Whether all views use the changed weights. */
export const isForAll = computed(
  () => use.value === "all" && Object.keys(weights.value).length > 0,
);

export const setForAll = (isOn: boolean): void => use.set(isOn ? "all" : "");

let areIn = false;

effect(() => {
  const given = isForAll.value ? weights.value : undefined;
  if (opened.value.state !== "open" || (given === undefined && !areIn)) return;
  areIn = given !== undefined;
  void memory.weigh(given ?? {}).then(() => {
    generation.value += 1;
  });
});

/** Says that all views use changed weights. */
export function ChangedWeights() {
  if (!isForAll.value) return null;
  return (
    <p class="changed-weights" role="status">
      Changed weights
      <button type="button" onClick={resetWeights}>
        Reset
      </button>
    </p>
  );
}
