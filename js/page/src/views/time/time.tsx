// Time: how memories fade, and the answers on another day.

import { useEffect, useRef } from "preact/hooks";
import { DayAnswers } from "./answers.tsx";
import { Curves } from "./curves.tsx";
import { DayControl } from "./day-control.tsx";
import { States } from "./states.tsx";

export default function Time() {
  const view = useRef<HTMLDivElement>(null);
  // The day stays in view below the header, whose height depends on the width.
  useEffect(() => {
    const header = document.querySelector("header.top")!;
    const observer = new ResizeObserver(() =>
      view.current?.style.setProperty("--below-top", `${header.clientHeight}px`),
    );
    observer.observe(header);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="time-view" ref={view}>
      <header>
        <h1>Time</h1>
        <p class="lead">
          Memories fade unless they are recalled. Move the day back to the first memory, or two
          years ahead. The view shows the memories that are still at hand, and the answers of that
          day.
        </p>
      </header>
      <div class="time-day">
        <div class="time-left">
          <DayControl />
          <section class="time-states" aria-labelledby="states">
            <h2 id="states" class="hidden">
              All memories by state
            </h2>
            <States />
            <p class="note">
              Each memory fades from its last access. The view assumes no further recalls. Nothing
              is deleted. A question finds faded memories, too.
            </p>
          </section>
        </div>
        <DayAnswers />
      </div>
      <Curves />
    </div>
  );
}
