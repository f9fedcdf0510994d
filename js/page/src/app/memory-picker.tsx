// Chooses the memory that is open: a sample, or the visitor's own.

import { openSample } from "../memory/client.ts";
import type { SampleName } from "../memory/open.ts";
import { linkTo, memoryName, question } from "./address.ts";

const SAMPLES: Readonly<Record<SampleName, string>> = {
  general: "Sample: a household",
  trader: "Sample: a trader",
};

export function MemoryPicker() {
  const name = memoryName.value;
  const choose = (next: string) => {
    if (next === "yours") {
      location.hash = linkTo("memories");
      return;
    }
    question.set("");
    memoryName.set(next);
    void openSample(next as SampleName);
  };
  return (
    <select
      aria-label="Memory"
      value={name in SAMPLES ? name : "yours"}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {Object.entries(SAMPLES).map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
      <option value="yours">{name in SAMPLES ? "Your memories …" : "Your memories"}</option>
    </select>
  );
}
