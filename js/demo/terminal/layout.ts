// Layout of terminal text: cells of fixed width, bars, times, and wrapped lines. Widths do not
// count colour codes.

/** A function that adds colour codes to a text. */
export type Paint = (text: string) => string;
const plain: Paint = (text) => text;

const BARS = "▁▂▃▄▅▆▇█";

/** Returns a value in [0, 1] as one block character. Other values are clamped. */
export function bar(value: number): string {
  const step = Math.round(Math.min(Math.max(value, 0), 1) * (BARS.length - 1));
  return BARS.charAt(step);
}

/** Returns a time in µs or ms, with about three digits. */
export function duration(ms: number): string {
  const [value, unit] = ms < 1 ? [ms * 1000, "µs"] : [ms, "ms"];
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

/** Returns the width of a text without colour codes, in characters. */
export const widthOf = (text: string): number => [...text].length;

/** A piece of a line: its text and its colours. */
export interface Cell {
  text: string;
  paint?: Paint;
}

/** Returns a cell of exactly `width`: cut with an ellipsis, or padded. */
export function cell(
  text: string,
  width: number,
  paint: Paint = plain,
  side: "left" | "right" = "left",
): string {
  const points = [...text];
  const cut =
    points.length > width
      ? `${points
          .slice(0, Math.max(0, width - 1))
          .join("")
          .trimEnd()}…`
      : text;
  const fill = " ".repeat(Math.max(0, width - widthOf(cut)));
  return side === "left" ? paint(cut) + fill : fill + paint(cut);
}

/**
 * Returns cells in a row of at most `width`. Cuts the first cell that does not fit, and drops the
 * rest.
 */
export function row(cells: readonly Cell[], width: number): string {
  let rest = width;
  let line = "";
  for (const { text, paint = plain } of cells) {
    if (rest <= 0) break;
    const size = Math.min(widthOf(text), rest);
    line += cell(text, size, paint);
    rest -= size;
  }
  return line + " ".repeat(Math.max(0, rest));
}

/** Wraps a text into lines of at most `width`. Lines after the first are indented. */
export function wrap(text: string, width: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const next = line.trim() === "" ? `${line}${word}` : `${line} ${word}`;
    if (widthOf(next) > width && line.trim() !== "") {
      lines.push(line);
      line = `${" ".repeat(indent)}${word}`;
    } else {
      line = next;
    }
  }
  return [...lines, line];
}

/** Wraps a text into lines of at most `width`, all indented. */
export const indented = (text: string, indent: number, width: number): string[] =>
  wrap(text, width - indent).map((line) => " ".repeat(indent) + line);
