// The fitted weights of evidence, read from the crate's table: they are data and no rule.

import { readFileSync } from "node:fs";
import { EVIDENCE, type Fit, type Values } from "./evidence.ts";

export type EvidencePreset = "general" | "trading";

const TABLE = readFileSync(
  new URL("../../src/evidence/fitted.rs", import.meta.url),
  "utf8",
).replaceAll(/\/\/.*$/gm, "");

/** The weights of a preset, by the name of its constant. */
export function fitted(preset: EvidencePreset): Fit {
  const name = preset.toUpperCase();
  const same = new RegExp(`const ${name}: Fit = ([A-Z]+);`).exec(TABLE)?.[1];
  if (same !== undefined) return fitted(same.toLowerCase() as EvidencePreset);
  const [, table] = new RegExp(`const ${name}: Fit = Fit \\{([^;]*)\\};`).exec(TABLE)!;
  const numbers = new Map(
    [...table!.matchAll(/(\w+): (-?[\d._]+(?:e-?\d+)?)/g)].map(([, key, number]) => [
      key!,
      Number(number!.replaceAll("_", "")),
    ]),
  );
  const of = (key: string): number => {
    const number = numbers.get(key);
    if (number === undefined) throw new Error(`the preset ${preset} has no ${key}`);
    return number;
  };
  const weights = Object.fromEntries(EVIDENCE.map((kind) => [kind, of(kind)])) as Values;
  return {
    weights,
    scale: of("scale"),
    of_best: of("of_best"),
    of_spread: of("of_spread"),
    offset: of("offset"),
  };
}
