// Patterns of users: they match as JavaScript's regular expressions do, in linear time, and wrong
// ones are refused. The built-in presets guess the types that V8 guesses by the same patterns.

import { GENERAL, guessedType, type Preset, TRADING } from "nous-memory";
import { PatternSet } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { expectRefusal, js } from "./support/bad-input.ts";

/** The type that V8 guesses. */
function guessedByV8({ types, usual_type }: Preset): (text: string) => string {
  const patterns = Object.entries(types).flatMap(([name, { guess = [] }]) =>
    guess.map((source) => [name, new RegExp(source, "i")] as const),
  );
  return (text) => patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? usual_type;
}

/** Texts of words that the patterns name, whole, cut, glued together and in any case. */
function* texts(preset: Preset, count: number): Generator<string> {
  let seed = 20_261_128;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const sources = Object.values(preset.types).flatMap(({ guess = [] }) => guess);
  const named = sources.flatMap((source) => source.match(/[\p{L}' -]{2,}/gu) ?? []);
  const words = [
    ...named,
    ..."to run 1 3 über Ärztin straße x-ray don't step 2 für, ab".split(" "),
  ];
  const gaps = [" ", " ", " ", ", ", ": ", ". ", "", "-", "_", "\n", "é", "ß", "’", "1"];
  const forms = [
    (word: string) => word,
    (word: string) => word.toUpperCase(),
    (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1),
    (word: string) => word.slice(0, -1),
    (word: string) => `${word}s`,
  ];
  for (let made = 0; made < count; made++) {
    const parts = Array.from({ length: 1 + next(5) }, () => {
      const word = words[next(words.length)]!;
      return forms[next(forms.length)]!(word) + gaps[next(gaps.length)]!;
    });
    yield parts.join("");
  }
}

describe("the built-in presets", () => {
  test.each([GENERAL, TRADING])("guess the types of V8: $name", (preset) => {
    const byV8 = guessedByV8(preset);
    const found = new Map<string, number>();
    for (const text of texts(preset, 20_000)) {
      const type = guessedType(preset, text);
      expect(type, JSON.stringify(text)).toBe(byV8(text));
      found.set(type, (found.get(type) ?? 0) + 1);
    }
    const guessed = Object.entries(preset.types).filter(([, { guess = [] }]) => guess.length > 0);
    for (const [name] of guessed) expect(found.get(name), name).toBeGreaterThan(0);
  });
});

describe("a set of patterns", () => {
  const named = (...patterns: string[]) =>
    patterns.map((pattern, place) => ({ name: `p${place}`, pattern }));

  test("returns the name of the first that matches", () => {
    const patterns = new PatternSet(named("b+", "[ab]", "ÄRZT"));
    const answers = ["b", "a", "Zur ärztin", "", "\ud800"].map((text) => patterns.firstMatch(text));
    expect(answers).toEqual(["p0", "p1", "p2", undefined, undefined]);
    expect(["b", "c"].map((text) => patterns.test(text))).toEqual([true, false]);
    expect(new PatternSet([]).firstMatch("a")).toBeUndefined();
  });

  test("answers at once for patterns that would go back", () => {
    // V8 takes more than 2^10,000 steps for each.
    const text = `${"a".repeat(20_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){12}$"])
      expect(new PatternSet(named(pattern)).test(text)).toBe(false);
  });

  test("refuses a pattern by its place, with what to do", () => {
    for (const [pattern, part] of [
      ["(", "must be a regular expression that the engine takes, but found open group"],
      ["(?=a)b", "say it in other words, or in two patterns"],
      [String.raw`(a)\1`, "say it in other words, or in two patterns"],
      ["(a{500}){500}", "repeat less, or divide it into several patterns"],
      ["a".repeat(2_001), "must have at most 2000 bytes, found 2001"],
    ] as const) {
      const refused = () => new PatternSet(named("a", pattern));
      expectRefusal(refused, { field: "pattern", index: 1 });
      expect(refused).toThrow(part);
      expect(refused).toThrow('patterns[1] (name "p1"): pattern ');
    }
    expectRefusal(() => new PatternSet(named(...Array<string>(1_001).fill("a"))), {
      field: "patterns",
    });
  });

  test("refuses what is no pattern", () => {
    const Patterns = js.PatternSet as unknown as new (patterns: unknown) => PatternSet;
    for (const wrong of [undefined, null, 5, "a", {}, new Set(["a"])])
      expectRefusal(() => new Patterns(wrong), { field: "patterns" });
    for (const wrong of [null, 5, "a", /a/.source, ["a"]])
      expectRefusal(() => new Patterns([wrong]), { field: "patterns", index: 0 });
    for (const wrong of [undefined, null, 5, /a/, 1n, Symbol("a")]) {
      expectRefusal(() => new Patterns([{ name: "n", pattern: wrong }]), {
        field: "pattern",
        index: 0,
      });
      expectRefusal(() => new Patterns([{ name: wrong, pattern: "a" }]), {
        field: "name",
        index: 0,
      });
    }
    const patterns = new Patterns(named("a"));
    for (const wrong of [undefined, null, 5, {}, ["a"]])
      expectRefusal(() => patterns.test(wrong as string), { field: "text" });
    expect(patterns.test("a")).toBe(true);
  });
});
