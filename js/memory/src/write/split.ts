// Rule: a long text becomes several memories, in order.
//
// A question finds a memory by its best passage, but a prompt shows the whole memory: a memory of a
// thousand words costs a prompt that could hold twenty answers. A text breaks at headings and blank
// lines, then between sentences, until no piece has more than `MAX_WORDS` words. Short neighbours
// below one heading join again, so that a piece says something by itself. A block of code or a list
// stays whole if it is not longer than two pieces.

/** The words of a piece at most, and below which neighbours join. */
const MAX_WORDS = 120;
const FEW_WORDS = 60;
/** The characters of a title. */
const MAX_OF_A_TITLE = 100;

/** A part of a text. */
export interface Piece {
  /** The heading above it, if there is one, else its first sentence. */
  title: string;
  text: string;
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: "sentence" });

const countOf = (text: string): number => text.match(/\S+/g)?.length ?? 0;
/** Returns the sentences of a text. */
export const sentencesOf = (text: string): string[] =>
  Array.from(SENTENCES.segment(text), ({ segment }) => segment.trim()).filter(Boolean);

/** Returns the parts of a text, in order; none if it is blank. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const { heading, blocks } of sectionsOf(text)) {
    let open: string[] = [];
    const close = () => {
      const whole = open.join("\n\n").trim();
      open = [];
      if (whole !== "") pieces.push({ title: heading ?? titleOf(whole), text: whole });
    };
    for (const part of blocks.flatMap(partsOf)) {
      const words = countOf(open.join(" ")) + countOf(part);
      if (open.length > 0 && words > MAX_WORDS) close();
      open.push(part);
      if (countOf(open.join(" ")) >= FEW_WORDS) close();
    }
    close();
  }
  return pieces;
}

/** Returns the title of a text: its first sentence, cut at a word. */
export function titleOf(text: string): string {
  const [first = text] = sentencesOf(text.replace(/^[#>*\-\s]+/, "").split("\n")[0] ?? "");
  const line = first.replaceAll(/\s+/g, " ").trim();
  if (line.length <= MAX_OF_A_TITLE) return line;
  const cut = line.slice(0, MAX_OF_A_TITLE);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_OF_A_TITLE / 2)).trimEnd()}…`;
}

/** Splits a text below its headings of Markdown, and each part into blocks. */
function sectionsOf(text: string): { heading: string | undefined; blocks: string[] }[] {
  const sections: { heading: string | undefined; lines: string[] }[] = [
    { heading: undefined, lines: [] },
  ];
  let isCode = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? null : /^#{1,6}\s+(.+?)\s*#*$/.exec(line);
    if (heading === null) sections.at(-1)!.lines.push(line);
    else sections.push({ heading: heading[1]!, lines: [] });
  }
  return sections.map(({ heading, lines }) => ({ heading, blocks: blocksOf(lines) }));
}

/** Joins lines to blocks between blank lines; a block of code is one, whatever it holds. */
function blocksOf(lines: readonly string[]): string[] {
  const blocks: string[][] = [[]];
  let isCode = false;
  for (const line of lines) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (line.trim() === "" && !isCode) blocks.push([]);
    else blocks.at(-1)!.push(line);
  }
  return blocks.map((block) => block.join("\n").trim()).filter(Boolean);
}

/** Splits a block between its sentences if it is too long. */
function partsOf(block: string): string[] {
  const isWhole = /^\s*(```|~~~|[-*+] |\d+[.)] )/.test(block);
  if (countOf(block) <= (isWhole ? 2 * MAX_WORDS : MAX_WORDS)) return [block];
  return joined(sentencesOf(block).flatMap(shortened));
}

/** Joins sentences up to the most words of a piece. */
function joined(sentences: readonly string[]): string[] {
  const parts: string[] = [];
  for (const sentence of sentences) {
    const last = parts.at(-1);
    if (last !== undefined && countOf(last) + countOf(sentence) <= MAX_WORDS)
      parts[parts.length - 1] = `${last} ${sentence}`;
    else parts.push(sentence);
  }
  return parts;
}

/** Splits a sentence without an end: a log, or a table. */
function shortened(sentence: string): string[] {
  const words = sentence.match(/\S+\s*/g) ?? [];
  if (words.length <= 2 * MAX_WORDS) return [sentence];
  const parts: string[] = [];
  for (let at = 0; at < words.length; at += MAX_WORDS)
    parts.push(
      words
        .slice(at, at + MAX_WORDS)
        .join("")
        .trim(),
    );
  return parts;
}
