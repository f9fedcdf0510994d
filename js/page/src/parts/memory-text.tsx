// A memory's title or text with the words marked that matched the question.

import type { JSX } from "preact";
import type { Mark } from "../memory/records.ts";

/** Text before and after the first mark that a short form shows. */
const AROUND = 90;
const MOST = 320;

interface MarkedProps {
  text: string;
  field: Mark["field"];
  marks: readonly Mark[];
  /** Whether a long text is cut to the stretch with the marks. */
  isShort?: boolean;
}

/** Returns how a mark is told to a reader who cannot see it, and on hover. */
function nameOf({ asked, found, nearness = 1 }: Mark): string {
  if (asked === undefined) return "";
  return nearness >= 1
    ? `“${asked}” matched “${found}”`
    : `“${asked}” matched “${found}”, nearness ${nearness.toFixed(2)}`;
}

export function Marked({ text, field, marks, isShort = false }: MarkedProps) {
  const own = marks.filter((mark) => mark.field === field);
  const [from, to] = isShort ? stretch(text, own) : [0, text.length];
  const parts: (string | JSX.Element)[] = [];
  let at = from;
  for (const mark of own) {
    if (mark.start < at || mark.end > to) continue;
    parts.push(text.slice(at, mark.start));
    const name = nameOf(mark);
    parts.push(
      <mark
        key={mark.start}
        class={(mark.nearness ?? 1) < 1 ? "near" : "same"}
        title={name}
        // Focus shows the neighbour to readers without a mouse.
        tabIndex={(mark.nearness ?? 1) < 1 ? 0 : undefined}
        data-tip={(mark.nearness ?? 1) < 1 ? name : undefined}
      >
        {text.slice(mark.start, mark.end)}
      </mark>,
    );
    at = mark.end;
  }
  parts.push(text.slice(at, to));
  return (
    <>
      {from > 0 ? "… " : ""}
      {parts}
      {to < text.length ? " …" : ""}
    </>
  );
}

/** Returns the stretch of a long text to show. */
function stretch(text: string, marks: readonly Mark[]): [number, number] {
  if (text.length <= MOST) return [0, text.length];
  const first = marks[0]?.start ?? 0;
  const start = first <= AROUND ? 0 : text.indexOf(" ", first - AROUND) + 1;
  const end = text.indexOf(" ", start + MOST);
  return [start, end < 0 ? text.length : end];
}
