// Chooses the memory that is open: a sample, that of this server, or the visitor's own.

import { OVERTAKEN, opened } from "../memory/client.ts";
import { SAMPLE_NAMES, type SampleName } from "../memory/sample-names.ts";
import { linkTo, memoryName, question, serverUrl } from "./address.ts";
import { chooseSample, isUndecided, openNew, openThisServer, thisServer } from "./opening.ts";

export function MemoryPicker() {
  const name = memoryName.value;
  const here = thisServer.value;
  const state = opened.value;
  // The memory has the same name here and in the view Memories.
  const nameOf = (source: "server" | "own"): string | undefined =>
    state.state !== "open" || (state.summary.source === "server") !== (source === "server")
      ? undefined
      : source === "server"
        ? `Agent “${state.summary.name}”`
        : state.summary.name;
  const isHere = name === "server" && serverUrl.value === "";
  const isOther = name === "server" && !isHere;
  const choose = async (next: string) => {
    if (next === "here") {
      question.set("");
      // Without a key it may not open; the view says so, and asks for one.
      const why = here?.agent === undefined ? "It needs a key." : await openThisServer();
      if (why !== undefined && why !== OVERTAKEN) location.hash = linkTo("memories");
    } else if (next === "new") {
      await openNew();
      location.hash = linkTo("ask");
    } else if (next in SAMPLE_NAMES) {
      question.set("");
      void chooseSample(next as SampleName);
    } else {
      location.hash = linkTo("memories");
    }
  };
  return (
    <select
      aria-label="Memory"
      value={
        isUndecided()
          ? ""
          : isHere
            ? "here"
            : isOther
              ? "other"
              : name in SAMPLE_NAMES
                ? name
                : "yours"
      }
      onChange={(event) => void choose(event.currentTarget.value)}
    >
      {isUndecided() ? <option value="">Opening …</option> : null}
      {here === undefined && !isHere ? null : (
        <option value="here">{(isHere ? nameOf("server") : undefined) ?? "This server"}</option>
      )}
      {isOther ? <option value="other">{nameOf("server") ?? "A server"}</option> : null}
      <optgroup label="Samples">
        {Object.entries(SAMPLE_NAMES).map(([key, title]) => (
          <option key={key} value={key}>
            Sample: {title.toLowerCase()}
          </option>
        ))}
      </optgroup>
      <option value="new">Start an empty memory</option>
      <option value="yours">
        {(name === "yours" ? nameOf("own") : undefined) ?? "Open files or a server …"}
      </option>
    </select>
  );
}
