// A memory's title or text with the words marked that matched the question. What stands outside the
// passage that speaks most for the memory is subdued.

import type { JSX } from "preact";
import type { Mark } from "../memory/records.ts";

/** Text before and after the first mark that a short form shows. */
const AROUND = 90;
const MAX = 320;

/** Whether a short form leaves out some of a text. */
export const isLong = ({ length }: string): boolean => length > MAX;

interface MarkedProps {
  text: string;
  field: Mark["field"];
  marks: readonly Mark[];
  /** The best passage. Default: nothing is subdued. */
  passage?: readonly Mark[] | undefined;
  /** Whether a long text is cut to the stretch with the marks. */
  isShort?: boolean;
}

/** Returns the text of a mark for screen readers and for hovering. */
function nameOf({ asked, found, nearness = 1 }: Mark): string {
  if (asked === undefined) return "";
  return nearness >= 1
    ? `“${asked}” matched “${found}”`
    : `“${asked}” matched “${found}”, nearness ${nearness.toFixed(2)}`;
}

export function Marked({ text, field, marks, passage, isShort = false }: MarkedProps) {
  const own = marks.filter((mark) => mark.field === field);
  const [from, to] = isShort ? stretch(text, own) : [0, text.length];
  const found = passage?.find((one) => one.field === field);
  const bounds = found === undefined ? undefined : inWholeTokens(text, found);
  const parts: Piece[] = [];
  let at = from;
  for (const mark of own) {
    if (mark.start < at || mark.end > to) continue;
    parts.push(...plain(text, at, mark.start, bounds));
    const name = nameOf(mark);
    parts.push(
      <mark
        key={mark.start}
        class={(mark.nearness ?? 1) < 1 ? "near" : "same"}
        // The tip says it where there is one.
        title={(mark.nearness ?? 1) < 1 ? undefined : name}
        aria-description={(mark.nearness ?? 1) < 1 ? name : undefined}
        // Focus shows the neighbour to readers without a mouse.
        tabIndex={(mark.nearness ?? 1) < 1 ? 0 : undefined}
        data-tip={(mark.nearness ?? 1) < 1 ? name : undefined}
      >
        {text.slice(mark.start, mark.end)}
      </mark>,
    );
    at = mark.end;
  }
  parts.push(...plain(text, at, to, bounds));
  return (
    <>
      {from > 0 ? "… " : ""}
      {parts}
      {to < text.length ? " …" : ""}
    </>
  );
}

type Piece = string | JSX.Element;

/** Returns text without marks. Text outside the bounds is subdued. */
function plain(text: string, from: number, to: number, bounds: Mark | undefined): Piece[] {
  if (bounds === undefined) return [text.slice(from, to)];
  const start = Math.min(Math.max(bounds.start, from), to);
  const end = Math.min(Math.max(bounds.end, start), to);
  // A full stop alone belongs to the text before it.
  const aside = (a: number, b: number): Piece => {
    const piece = text.slice(a, b);
    return /[\p{L}\p{N}]/u.test(piece) ? <span class="aside">{piece}</span> : piece;
  };
  return [aside(from, start), text.slice(start, end), aside(end, to)];
}

/** Returns bounds that are moved out to the blanks around them, so that no token is cut. */
function inWholeTokens(text: string, { start, end, ...mark }: Mark): Mark {
  const isWithin = (at: number) =>
    at > 0 && at < text.length && /\S\S/.test(text.slice(at - 1, at + 1));
  let [from, to] = [start, end];
  while (isWithin(from)) from -= 1;
  while (isWithin(to)) to += 1;
  return { ...mark, start: from, end: to };
}

/** Returns where a text may be cut: at the next blank, unless it is far, as in Japanese. */
function cutIn(text: string, at: number): number {
  const blank = `${text} `.indexOf(" ", at);
  if (blank >= 0 && blank - at < AROUND) return blank;
  // No character is cut in two.
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at + 1 : at;
}

/** Returns the stretch of a long text to show. */
function stretch(text: string, marks: readonly Mark[]): [number, number] {
  if (!isLong(text)) return [0, text.length];
  const first = marks[0]?.start ?? 0;
  const start = first <= AROUND ? 0 : cutIn(text, first - AROUND);
  return [start, cutIn(text, start + MAX)];
}
