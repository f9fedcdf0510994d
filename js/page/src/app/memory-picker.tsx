// Chooses the memory that is open: a sample, that of this server, or the visitor's own.

import type { SampleName } from "../memory/open.ts";
import { linkTo, memoryName, question, serverUrl } from "./address.ts";
import { chooseSample, openThisServer, thisServer } from "./opening.ts";

const SAMPLES: Readonly<Record<SampleName, string>> = {
  general: "Sample: a household",
  trader: "Sample: a trader",
};

export function MemoryPicker() {
  const name = memoryName.value;
  const here = thisServer.value;
  const isHere = name === "server" && serverUrl.value === "";
  const isOther = name === "server" && !isHere;
  const choose = async (next: string) => {
    if (next === "here") {
      question.set("");
      // Without a key it may not open; the view says so, and asks for one.
      if (here?.agent === undefined || (await openThisServer()) !== undefined)
        location.hash = linkTo("memories");
    } else if (next in SAMPLES) {
      question.set("");
      void chooseSample(next as SampleName);
    } else {
      location.hash = linkTo("memories");
    }
  };
  return (
    <select
      aria-label="Memory"
      value={isHere ? "here" : isOther ? "other" : name in SAMPLES ? name : "yours"}
      onChange={(event) => void choose(event.currentTarget.value)}
    >
      {here === undefined && !isHere ? null : <option value="here">This server</option>}
      {isOther ? <option value="other">A server</option> : null}
      {Object.entries(SAMPLES).map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
      <option value="yours">{name === "yours" ? "Your memories" : "Your memories …"}</option>
    </select>
  );
}
