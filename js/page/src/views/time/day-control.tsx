// The day in large type, the slider, and play.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { dayOf } from "../../app/format.ts";
import { DAY, dayNumber, distance, isToday, moveTo, numberOf, span } from "./day.ts";

/** How long it takes to play from the first day to the last. */
const WHOLE = 24_000;
/** Time between two steps if the visitor wants less motion. */
const STEP = 1_000;
const MONTH = 30.44;

const isPlaying = signal(false);

/** Moves on with time. Returns how to stop. */
function play(): () => void {
  const { first, last } = span.peek();
  if (dayNumber.peek() >= last) moveTo(first);
  let day = dayNumber.peek();
  const move = (days: number) => {
    // The visitor may have paused since the last frame.
    if (!isPlaying.peek()) return;
    day += days;
    moveTo(day);
    if (day >= last) isPlaying.value = false;
  };
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const timer = setInterval(() => move(MONTH), STEP);
    return () => clearInterval(timer);
  }
  let before = performance.now();
  let frame = requestAnimationFrame(function next(at) {
    move(((at - before) / WHOLE) * (last - first));
    before = at;
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}

export function DayControl() {
  const { first, last, now } = span.value;
  const day = dayNumber.value;
  const playing = isPlaying.value;
  const slider = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!playing) return;
    return play();
  }, [playing]);
  useEffect(
    () => () => {
      isPlaying.value = false;
    },
    [],
  );
  const shown = dayOf(day * DAY);
  return (
    <div class="day-control">
      <p class="day">
        <span class="date">{shown}</span> <span class="quiet">{distance(day)}</span>
      </p>
      <div class="day-buttons">
        <button
          type="button"
          class="primary"
          onClick={() => {
            isPlaying.value = !playing;
          }}
        >
          {playing ? "Pause" : "Play"}
        </button>
        {isToday.value ? null : (
          <button
            type="button"
            onClick={() => {
              isPlaying.value = false;
              moveTo(numberOf(now));
              // The button goes; the keyboard stays at the day.
              slider.current?.focus();
            }}
          >
            Back to today
          </button>
        )}
      </div>
      <input
        ref={slider}
        type="range"
        min={first}
        max={last}
        step={1}
        value={day}
        aria-label="Day"
        aria-valuetext={`${shown}, ${distance(day)}`}
        onInput={(event) => {
          isPlaying.value = false;
          moveTo(event.currentTarget.valueAsNumber);
        }}
      />
    </div>
  );
}
