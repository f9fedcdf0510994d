// The whole-word matcher of the reference, which no golden vector covers.

import { expect, test } from "vitest";
import { classifyIntent, type IntentOptions } from "../../js/reference/index.ts";

const words = (query: string, strings?: string[]) => {
  const options: IntentOptions & { explain: true } = { matcher: "words", explain: true };
  return classifyIntent(
    query,
    strings === undefined ? options : { ...options, strings: own(strings) },
  );
};
const own = (strings: string[]) => ({
  SIGNALS: strings,
  EPISODIC: [],
  KNOWLEDGE: [],
  PROCEDURAL: [],
});
const counts = (query: string, strings: string[]) =>
  Object.fromEntries(
    words(query, strings).flatMap((e) => e.strings.map((s) => [s.string, s.count])),
  );

test("it avoids the false matches of the substring matcher", () => {
  const query = "deliver the flexitime ruler in your currency";
  expect(classifyIntent(query)).toEqual(["SIGNALS", "EPISODIC", "KNOWLEDGE"]);
  expect(classifyIntent(query, { matcher: "words" })).toEqual([]);
});

test("all strings of the table are found as words, also those with a hyphen or an apostrophe", () => {
  expect(words("Real-time: What’s happening?")).toEqual([
    {
      section: "SIGNALS",
      evidence: 2,
      strings: [
        { string: "what's happening", count: 1 },
        { string: "real-time", count: 1 },
      ],
    },
  ]);
});

test.each([
  ["any run of white space parts a phrase", "when\t\n\u00a0 I", ["when i"], { "when i": 1 }],
  ["apostrophes of all forms are equal", "it’s it‘s itʼs it＇s it's", ["it’s"], { "it’s": 5 }],
  ["a letter outside touches", "alive lived live", ["live"], { live: 1 }],
  [
    "a digit, a mark, a connector and a joiner touch",
    "live2 live\u0301 live_ live\u200d",
    ["live"],
    {},
  ],
  ["punctuation does not touch", "(live) live-live 'live'", ["live"], { live: 4 }],
  ["letters outside the basic plane touch", "𝒶live live𝒶 😀live😀", ["live"], { live: 1 }],
  [
    "a phrase that ends in no word character has no border there",
    "c++x c++",
    ["c++"],
    { "c++": 2 },
  ],
  ["overlapping starts all count", "go go go", ["go go"], { "go go": 2 }],
  ["the user's strings are lower-cased too", "ÄRGER", ["Ärger"], { ärger: 1 }],
  ["an empty string matches nothing", "anything", [""], {}],
])("%s", (_, query, strings, expected) => {
  expect(counts(query, strings)).toEqual(expected);
});

test("the substring matcher counts overlapping occurrences", () => {
  expect(classifyIntent("aaaa", { explain: true, strings: own(["aa"]) })).toEqual([
    { section: "SIGNALS", evidence: 3, strings: [{ string: "aa", count: 3 }] },
  ]);
});
