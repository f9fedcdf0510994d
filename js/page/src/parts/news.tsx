// Says what others wrote to the memory of a server, in a line at the foot of the window. The open view shows
// it at once, unless somebody reads an answer or edits a memory there: then the line offers it.

import { effect, signal } from "@preact/signals";
import * as Comlink from "comlink";
import { useEffect } from "preact/hooks";
import { question, view } from "../app/address.ts";
import { counted } from "../app/format.ts";
import { openAgain } from "../app/opening.ts";
import { generation, memory, memoryChanged } from "../memory/client.ts";
import { type News, shortened } from "../memory/records.ts";
import { isInUse } from "./in-use.ts";

/** How long the line stays if nothing waits, in milliseconds. */
const SHOWN_FOR = 10_000;
/** Characters of a title in the line. */
const MAX_TITLE = 60;

/** What the line says; empty if there is nothing to say. */
const line = signal("");
/** What waits: changes to show, or a memory that is to be read anew. */
const waiting = signal<"changes" | "memory" | undefined>(undefined);
let hiding: ReturnType<typeof setTimeout> | undefined;

function hear(news: News): void {
  clearTimeout(hiding);
  line.value = lineAfter(line.value, news);
  waiting.value = news.isTooMuch ? "memory" : "changes";
  if (!news.isTooMuch && mayShow()) void show();
}

/** Whether the open view may change now: it shows a list, without an answer, and nobody edits in it. */
function mayShow(): boolean {
  const isList = view.value === "memories" || view.value === "ask";
  return isList && !isInUse() && document.querySelector(".verdict") === null;
}

async function show(): Promise<void> {
  if (waiting.value === "memory") await openAgain();
  else await memoryChanged();
}

function hide(): void {
  line.value = "";
  waiting.value = undefined;
}

const OTHERS = "by another program";

/** Returns what the line says after news. Links that follow a write leave the line of the write. */
function lineAfter(before: string, news: News): string {
  if (news.isTooMuch) return `Much was written ${OTHERS}.`;
  if (news.stored + news.changed + news.deleted > 0) return toldOf(news);
  return before === "" && news.links > 0 ? `Links changed just now ${OTHERS}.` : before;
}

function toldOf({ stored, changed, deleted, title }: News): string {
  const about = title === "" ? "" : `: “${shortened(title, MAX_TITLE)}”`;
  const memories = (count: number) => counted(count, "memory", "memories");
  if (stored === 1 && changed + deleted === 0) return `Stored just now ${OTHERS}${about}`;
  const parts = [
    ...(stored === 0 ? [] : [`${memories(stored)} stored`]),
    ...(changed === 0 ? [] : [`${memories(changed)} changed`]),
    ...(deleted === 0 ? [] : [`${memories(deleted)} deleted`]),
  ];
  return `${parts.join(", ")} just now ${OTHERS}${about}`;
}

/** The line, and the following as long as the page is in sight: a stream takes one of six connections. */
export default function NewsLine() {
  useEffect(() => {
    const heed = () => {
      if (document.hidden) void memory.rest();
      else void memory.follow(Comlink.proxy(hear));
    };
    heed();
    document.addEventListener("visibilitychange", heed);
    // What was shown waits no longer, and its line goes after a while.
    let before = generation.peek();
    const shown = effect(() => {
      if (generation.value === before) return;
      before = generation.value;
      if (waiting.peek() === "changes") waiting.value = undefined;
      clearTimeout(hiding);
      hiding = setTimeout(hide, SHOWN_FOR);
    });
    // Another view, or an emptied question, shows what waits.
    const elsewhere = effect(() => {
      void view.value;
      void question.value;
      if (waiting.peek() === "changes") setTimeout(() => mayShow() && void show());
    });
    return () => {
      document.removeEventListener("visibilitychange", heed);
      shown();
      elsewhere();
      hide();
      void memory.rest();
    };
  }, []);
  return (
    <div class="news" role="status">
      {line.value === "" ? null : (
        <p>
          <span>{line.value}</span>
          {waiting.value === undefined ? null : (
            <button type="button" class="more" onClick={() => void show()}>
              {waiting.value === "memory" ? "Read it again" : "Show"}
            </button>
          )}
          <button type="button" class="more" onClick={hide}>
            Hide
          </button>
        </p>
      )}
    </div>
  );
}
