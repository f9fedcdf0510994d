// Says whether answers go by meaning: as a bar at the foot of the window while there is something to
// tell or to choose, and as a part of "Memories".

import { useEffect } from "preact/hooks";
import { view } from "../app/address.ts";
import { count, percent } from "../app/format.ts";
import { consider, forget, isDeclined, MAX_UNASKED, meaning, start, stop } from "../app/meaning.ts";
import { generation, isOfServer } from "../memory/client.ts";

/** The bar. It is there for each memory that is opened. */
export default function MeaningBar() {
  const now = meaning.value;
  const changes = generation.value;
  // The first memories of a server tell whether it ranks by meaning.
  useEffect(() => {
    if (meaning.peek().state === "none") void consider();
  }, [changes]);
  useEffect(() => forget, []);
  const isOver = now.state === "none" || (now.state === "on" && now.waiting === 0);
  const isDropped = isDeclined.value && (now.state === "offered" || now.state === "failed");
  if (isOver || isDropped || view.value === "memories") return null;
  return (
    <aside class="meaning bar-below" aria-label="Ranking by meaning">
      <Told />
    </aside>
  );
}

/** The same as a part of a view, with what is settled. */
export function MeaningPanel() {
  return (
    <div class="meaning">
      <Told />
    </div>
  );
}

function Told() {
  const now = meaning.value;
  return (
    <>
      <span role="status">{toldOf(now.state)}</span>
      {now.state === "offered" ? (
        <>
          <button type="button" onClick={start}>
            Rank by meaning
          </button>
          <small>{costOf(now)}</small>
          {isDeclined.value ? null : (
            <button type="button" class="more" onClick={() => void stop()}>
              Not now
            </button>
          )}
        </>
      ) : now.state === "loading" ? (
        <>
          <progress value={now.share} max={1} aria-label="Share of the model that is loaded" />
          <span>{percent(now.share)}</span>
          <StopButton />
        </>
      ) : now.state === "on" && now.waiting > 0 ? (
        <>
          <span>
            Memories that wait for their vector: {count(now.waiting)} of {count(now.all)}.
          </span>
          <StopButton />
        </>
      ) : now.state === "on" ? (
        <button type="button" class="more" onClick={() => void stop()}>
          Rank by words alone
        </button>
      ) : now.state === "failed" ? (
        <button type="button" onClick={start}>
          Try again
        </button>
      ) : null}
    </>
  );
}

const StopButton = () => (
  <button type="button" class="more" onClick={() => void stop()}>
    Stop
  </button>
);

/** Returns what stays the same while numbers change, so that it is read aloud once. */
function toldOf(state: (typeof meaning.value)["state"]): string {
  switch (state) {
    case "offered":
      return "Answers go by words.";
    case "loading":
      return "Loading the sentence model: 14 MB, kept in this browser.";
    case "on":
      return "Answers go by words and meaning.";
    case "failed":
      return "The sentence model could not be loaded: answers go by words.";
    case "none":
      return isOfServer()
        ? "Answers go by words: the server has no vectors of the sentence model."
        : "Answers go by words: the memories have vectors of another model.";
  }
}

/** Returns the cost of ranking by meaning. */
function costOf({ isKept, waiting }: { isKept: boolean; waiting: number }): string {
  const parts = [
    ...(isKept ? [] : ["14 MB, kept in this browser"]),
    ...(waiting > MAX_UNASKED ? ["some minutes of work"] : []),
  ];
  return parts.join(", and ");
}
