// The pieces of a text: every word of it, in order, with lines and indentation; in linear work.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Piece, splitText } from "nous-memory";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";

const piecesOf = (text: string): Piece[] => [...splitText(text).pieces];

const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** Expects the words of a text in its pieces, in order. Titles of headings and heads of tables may repeat. */
function expectWhole(text: string): void {
  const pieces = piecesOf(text);
  const held = pieces.flatMap(({ title, isBelowHeading, text }) => [
    ...(isBelowHeading ? words(title) : []),
    ...words(text),
  ]);
  let at = 0;
  for (const word of words(text)) {
    const next = held.indexOf(word, at);
    expect(next, `${word} of ${JSON.stringify(text.slice(0, 2_000))}`).toBeGreaterThanOrEqual(at);
    at = next + 1;
  }
}

const name = fc.stringMatching(/^[a-zA-Zäß]{1,9}$/);
const cjk = fc.array(fc.constantFrom(..."会议从早上九点开始大家依次汇报。と、はก่อน"), {
  maxLength: 400,
});
const sentence = fc
  .array(name, { minLength: 1, maxLength: 30 })
  .map((some) => `${some.join(" ")}.`);
/** Headings as people write them: with links, pictures, code, emphasis and names of constants. */
const title = fc
  .array(
    fc.oneof(
      name,
      fc.tuple(name, name).map(([text, to]) => `[${text}](https://${to}.org/a_b_c)`),
      fc.tuple(name, name).map(([text, to]) => `[![${text}](${to}.svg)](https://${to}.org)`),
      fc.tuple(name, name).map(([one, two]) => `${one}_${two}_x`),
      fc
        .tuple(fc.constantFrom("`", "*", "**", "_"), name)
        .map(([mark, text]) => mark + text + mark),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((some) => some.join(" "));
const block = fc.oneof(
  { weight: 3, arbitrary: fc.array(sentence, { maxLength: 14 }).map((some) => some.join(" ")) },
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), title)
    .map(([level, title]) => `${"#".repeat(level)} ${title}`),
  fc.tuple(name, fc.constantFrom("=", "-")).map(([title, mark]) => `${title}\n${mark.repeat(4)}`),
  fc.array(sentence, { maxLength: 20 }).map((some) => some.map((one) => `- ${one}`).join("\n")),
  fc.array(name, { maxLength: 300 }).map((some) => `\`\`\`sh\n# ${some.join("\n  ")}\n\`\`\``),
  fc
    .array(fc.tuple(name, name), { minLength: 1, maxLength: 200 })
    .map((rows) => `| a | b |\n|---|---|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join("\n")}`),
  fc.array(name, { maxLength: 200 }).map((some) => some.map((one) => `${one}:\n  x: 1`).join("\n")),
  cjk.map((some) => some.join("")),
  fc.constantFrom("---", "***", "", "   ", "~~~", "> quoted", "# then check"),
  fc.integer({ min: 1, max: 3_000 }).map((count) => "x".repeat(count)),
);
const between = fc.constantFrom("\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\n \t\n");
const text = fc
  .array(fc.tuple(block, between), { minLength: 1, maxLength: 12 })
  .map((some) => some.flat().join(""))
  // A word that only a cut could split has no place of its own.
  .filter((whole) => !/[\p{L}\p{N}]{900}/u.test(whole));

describe("the pieces of a text", () => {
  test("hold every word of it, in order", () => {
    fc.assert(fc.property(text, expectWhole), runs(amount(2_000)));
  });

  test("hold every character of a text without blanks", () => {
    const long = fc.oneof(
      cjk.map((some) => some.join("").repeat(12)),
      fc.integer({ min: 1, max: 9_000 }).map((count) => "x".repeat(count)),
      fc
        .array(fc.constantFrom("👩‍👩‍👧", "e\u0301", "𠮷"), { maxLength: 2_000 })
        .map((some) => some.join("")),
    );
    fc.assert(
      fc.property(long, (whole) => {
        const pieces = piecesOf(whole).map((piece) => piece.text);
        expect(pieces.join("")).toBe(whole);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(1_000);
          expect(piece).not.toMatch(/\p{Surrogate}/u);
        }
      }),
      runs(amount(500)),
    );
  });

  test("hold every word of this project's own documents, with the headings above", () => {
    const files = ["docs", "docs/guide", "docs/design", "."].flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".md"))
        .map((file) => join(folder, file)),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) expectWhole(readFileSync(file, "utf8"));
  });

  test("hold a text that is the same as its heading", () => {
    expectWhole("Plan\n====\nPlan\n\n# Costs\n\nCosts\n");
  });

  const titles = (given: string) => piecesOf(given).map(({ title, text }) => [title, text]);

  test("have the path of their headings", () => {
    const given = "# Harbour\n## Crane\nIt lifts 12 t.\n# Yard\n## Crane\nIt lifts 3 t.\n";
    expect(titles(given)).toEqual([
      ["Harbour › Crane", "It lifts 12 t."],
      ["Yard › Crane", "It lifts 3 t."],
    ]);
    expect(titles("## Open\n\n## Later\n\nPaint the door.")).toEqual([
      ["Open", "Open"],
      ["Later", "Paint the door."],
    ]);
    expect(titles("# 2 keys are missing")).toEqual([
      ["2 keys are missing", "# 2 keys are missing"],
    ]);
    const script = "Start of osprey\n# only as root.\nservice osprey start\n#!last";
    expect(titles(script)).toEqual([["Start of osprey", script]]);
  });

  test("have names and links of headings as they are", () => {
    const given = "## `MAX_SIZE` of [crane_two](https://harbour.org/c) *now*\n\nIt lifts 3 t.";
    expect(titles(given)).toEqual([
      [
        "MAX_SIZE of crane_two now",
        "`MAX_SIZE` of [crane_two](https://harbour.org/c) *now*\n\nIt lifts 3 t.",
      ],
    ]);
  });

  test("keep lines and indentation, and the head of a table above its rows", () => {
    const yaml = Array.from({ length: 80 }, (_, at) => `part_${at}:\n  size: ${at}\n  kept: true`);
    for (const { text } of piecesOf(yaml.join("\n"))) expect(text).toMatch(/^part_\d+:\n {2}size/);
    expect(
      piecesOf(yaml.join("\n"))
        .map(({ text }) => text)
        .join("\n"),
    ).toBe(yaml.join("\n"));
    const rows = Array.from({ length: 300 }, (_, at) => `| berth ${at} | ${at * 7} |`);
    const pieces = piecesOf(["| berth | depth |", "|---|---|", ...rows].join("\n"));
    expect(pieces.length).toBeGreaterThan(3);
    for (const { text } of pieces)
      expect(text).toMatch(/^\| berth \| depth \|\n\|---\|---\|\n\| b/);
  });

  test("front matter is text of the first one, and a text between two rules is none", () => {
    const [only] = piecesOf("---\ntags: [rope]\n---\n\n# Knots\n\nA bowline holds.");
    expect(only).toMatchObject({ title: "Knots", text: "tags: [rope]\n\nA bowline holds." });
    expect(
      piecesOf("---\n\nWe met at noon.\n\n---\n\nThen we ate.").map(({ text }) => text),
    ).toEqual(["We met at noon.\n\n---\n\nThen we ate."]);
  });
});

/** Texts by which a splitter takes more than linear time, of about `size` characters. */
const HARD: Readonly<Record<string, (size: number) => string>> = {
  "a heading of blanks": (size) => `# x${" ".repeat(size)}y`,
  "marks of a heading": (size) => "#".repeat(size),
  "short sentences": (size) => "B. ".repeat(size / 3),
  "one paragraph": (size) => "The tide turns at noon and the boats go out. ".repeat(size / 45),
  "blank lines": (size) => `${" \n".repeat(size / 2)}x`,
  "lines of code": (size) => `\`\`\`\n${"a = 1\n".repeat(size / 6)}`,
  "rows of a table": (size) => `|a|b|\n|-|-|\n${"|1|2|\n".repeat(size / 6)}`,
  "one word": (size) => "x".repeat(size),
  "one character of marks": (size) => `a${"\u0301".repeat(size)}`,
  "brackets in a heading": (size) => `# ${"[".repeat(180)}\n${"[".repeat(size)}`,
  "no blanks": (size) => "潮が正午に変わり船が出る".repeat(size / 12),
};

describe("the work of splitting", () => {
  test.each(Object.entries(HARD))("%s: grows with the text, in small steps", (_, make) => {
    // What segmenters and slices are given is the work; a loop over the whole for each piece shows.
    const workOf = (size: number): number => {
      let read = 0;
      const segment = Intl.Segmenter.prototype.segment;
      Intl.Segmenter.prototype.segment = function (given) {
        read += given.length;
        return segment.call(this, given);
      };
      try {
        piecesOf(make(size));
      } finally {
        Intl.Segmenter.prototype.segment = segment;
      }
      return read;
    };
    const [small, large] = [workOf(30_000), workOf(240_000)];
    expect(large).toBeLessThanOrEqual(10 * small + 20_000);
    expect(large).toBeLessThan(8 * 240_000);
  });
});
