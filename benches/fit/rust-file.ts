// Writes fitted presets as the Rust file that the crate is built with. Each weight is a field of a
// struct, so that the build refuses a kind of evidence that the engine does not know, and a kind
// without a weight.

import { type FittedPreset, PRESETS, type Preset } from "./preset.ts";

/** What {@link rustFile} says of a set. */
export interface ReportedSet {
  readonly name: string;
  /** The number of questions. */
  readonly questions: number;
  /** Lines of figures: for example "nDCG@10 0.636". */
  readonly figures: string;
  /** The same for questions with an embedding. */
  readonly embedded: string;
  /** The presets that were fitted on the set. */
  readonly fittedOn: readonly Preset[];
}

/** What the file holds. */
export interface FittedFile {
  /** The day of the fit, such as 2026-11-25. */
  readonly date: string;
  /** Which weights are those of an earlier fit: none, those without an embedding, or all. */
  readonly kept: keyof typeof KEPT;
  readonly sets: readonly ReportedSet[];
  readonly presets: Readonly<Record<Preset, FittedPreset>>;
}

/** The score from which on an answer counts as one. */
export const ANSWERABLE = 0.2;

/** What the file says of weights of an earlier fit. */
const KEPT = {
  none: [],
  plain: ["//! Weights for questions without an embedding were kept from an earlier fit."],
  all: ["//! Weights were kept from an earlier fit; the odds were fitted anew."],
};

const DOCS: Readonly<Record<Preset, string>> = {
  general: "For any memory: people, projects, documents.",
  trading: "For the memory of a trading agent.",
};

/** Returns the text of the Rust file. The same presets and sets give the same text. */
export function rustFile({ date, kept, sets, presets }: FittedFile): string {
  const lines = [
    "//! The fitted weights of the two presets. `npm run fit` writes this file: change the sets or",
    "//! the fit, and not the numbers.",
    "//!",
    `//! Fitted on ${date}. In brackets: the number of questions, and the presets fitted on the set.`,
    ...KEPT[kept],
    "//!",
    ...sets.flatMap(({ name, questions, figures, embedded, fittedOn }) => {
      const use = fittedOn.length === 0 ? "measured only" : fittedOn.join(", ");
      return listItem(`${name} (${questions}; ${use}): ${figures}. Embedded: ${embedded}.`);
    }),
    "",
    "use super::weights::{Fit, Values};",
    "",
    "/// The score from which on an answer counts as one. If no memory reaches it, the question has no",
    "/// answer.",
    `pub const ANSWERABLE: f64 = ${float(ANSWERABLE)};`,
  ];
  const all = PRESETS.flatMap((preset) => {
    const { plain, embedded } = presets[preset];
    const name = preset.toUpperCase();
    return [
      { doc: DOCS[preset], name, fit: plain },
      {
        doc: "The same, for questions with an embedding.",
        name: `${name}_EMBEDDED`,
        fit: embedded,
      },
    ];
  });
  for (const { doc, name, fit } of all) {
    const { weights, scale, ofBest, ofGap, ofSpread, ofUnheld, offset } = fit;
    lines.push(
      "",
      `/// ${doc}`,
      `pub const ${name}: Fit = Fit {`,
      "    weights: Values {",
      ...Object.entries(weights).map(([kind, weight]) => `        ${kind}: ${float(weight)},`),
      "    },",
      `    scale: ${float(scale)},`,
      `    of_best: ${float(ofBest)},`,
      `    of_gap: ${float(ofGap)},`,
      `    of_spread: ${float(ofSpread)},`,
      `    of_unheld: ${float(ofUnheld)},`,
      `    offset: ${float(offset)},`,
      "};",
    );
  }
  return `${lines.join("\n")}\n`;
}

/** The characters of a line of a comment. */
const WIDTH = 100;

/** Returns an item of a list in the comment of the file, in lines of at most `WIDTH` characters. */
function listItem(text: string): string[] {
  const lines = ["//! -"];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`//!   ${word}`);
  }
  return lines;
}

/** Returns a number as a Rust literal of type f64. */
function float(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
