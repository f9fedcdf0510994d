// Text in a terminal: cells of fixed width, bars, times, lines that break at words. Widths are
// counted without colours.

export type Paint = (text: string) => string;
const plain: Paint = (text) => text;

const BARS = "▁▂▃▄▅▆▇█";

/** A value in [0, 1] as one block; what lies outside is taken to the nearer end. */
export function bar(value: number): string {
  const step = Math.round(Math.min(Math.max(value, 0), 1) * (BARS.length - 1));
  return BARS.charAt(step);
}

/** A time of so many milliseconds in three digits or so, as µs or ms. */
export function duration(ms: number): string {
  const [value, unit] = ms < 1 ? [ms * 1000, "µs"] : [ms, "ms"];
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

export const widthOf = (text: string): number => [...text].length;

/** A piece of a line: its text, and how it is painted. */
export interface Cell {
  text: string;
  paint?: Paint;
}

/** Exactly `width` wide: cut with an ellipsis, or filled up. */
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

/** Cells in a row up to a width; the first that does not fit is cut, and the rest is left out. */
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

/** Lines of at most `width`, broken at blanks; every line after the first is indented. */
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

/** Lines of at most `width`, all of them indented. */
export const indented = (text: string, indent: number, width: number): string[] =>
  wrap(text, width - indent).map((line) => " ".repeat(indent) + line);
