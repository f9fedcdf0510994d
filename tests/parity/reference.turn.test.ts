// The reference of turns equals the golden vectors, and keeps the rules that they do not cover; and
// the generators cover all of its vocabulary.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { MODES, PHRASES, turn } from "./inputs/turns.ts";
import { describeRules } from "./support/turn-rules.ts";

describeRules(reference);

/** Enough for every item. */
const TURNS = 20_000;

describe(`of ${TURNS} generated turns`, () => {
  /** The number of turns in which each item must occur. */
  const OFTEN = 10;
  let turns: string[];

  beforeAll(() => {
    // This tests the generator. Its seed is fixed: by another, a rare item could be missing.
    turns = fc.sample(turn, { numRuns: TURNS, seed: 13 });
  });

  /** The lower number for some rarer items. */
  function seldom(
    things: readonly string[],
    isSeen: (text: string, thing: string) => boolean,
    texts = turns,
  ): string[] {
    return things.filter((thing) => {
      let often = 0;
      return !texts.some((text) => isSeen(text, thing) && ++often === OFTEN);
    });
  }
  const begins = (mode: reference.ContextMode) => (text: string, words: string) =>
    reference.opening(text.trim(), [words], mode) !== null;

  test.each(MODES)("%s: enough turns consist of each greeting", (mode) => {
    const isGreeting = turns.filter(
      (text) => reference.classifyTurn(text, "", { mode }).is_greeting,
    );
    expect(seldom(reference.GREETINGS, begins(mode), isGreeting)).toEqual([]);
  });

  test("enough turns begin with each greeting", () => {
    const isStripped = turns.filter((text) => reference.classifyTurn(text, "").input !== text);
    expect(seldom(reference.GREETINGS, begins("default"), isStripped)).toEqual([]);
  });

  test.each(MODES)("%s: enough turns have each phrase, and each only in part", (mode) => {
    const whole = [
      ...reference.RECENCY.flatMap(({ phrases }) => phrases),
      ...Object.values(reference.HINTS[mode]).flat(2),
    ];
    expect(seldom(whole, (text, phrase) => reference.occurs(text, [phrase], mode))).toEqual([]);
    expect(
      seldom([...reference.RECAPS], (text, phrase) => text.toLowerCase().includes(phrase)),
    ).toEqual([]);
    const inPart = (text: string, phrase: string) =>
      text.includes(phrase) && !reference.occurs(text, [phrase], mode);
    expect(seldom(PHRASES, inPart)).toEqual([]);
  });

  test("enough turns have each recency, each sum of hints, each number of names, each acknowledgement", () => {
    const seen = new Map<string, number>();
    for (const text of turns) {
      const signals = reference.classifyTurn(text, "");
      const { temporal_recency, memory_type_hints, topic_keywords, entity_mentions } = signals;
      const things = [
        `recency ${temporal_recency}`,
        ...Object.entries(memory_type_hints).map(([type, hint]) => `${type} ${hint}`),
        `${topic_keywords.length} keywords`,
        `${entity_mentions.length} entities`,
        ...reference.ACKNOWLEDGEMENTS.filter(
          (words) =>
            signals.is_acknowledgement &&
            reference.opening(signals.input.trim(), [words], "default") !== null,
        ),
      ];
      for (const thing of things) seen.set(thing, (seen.get(thing) ?? 0) + 1);
    }
    const upTo = (max: number, named: string) =>
      Array.from({ length: max + 1 }, (_, i) => `${i} ${named}`);
    const things = [
      ...[0, 0.3, 0.5, 0.8, 1].map((recency) => `recency ${recency}`),
      ...[
        "decision 0.5",
        "decision 1",
        "decision 1.5",
        "fact 0.5",
        "fact 1",
        "procedure 0.5",
        "procedure 1",
      ],
      ...["episode 0.5", "episode 1", "episode 1.5", "signal 0.5"],
      ...upTo(10, "keywords"),
      ...upTo(10, "entities"),
      ...reference.ACKNOWLEDGEMENTS,
    ];
    expect(things.filter((thing) => (seen.get(thing) ?? 0) < OFTEN)).toEqual([]);
  });

  test("enough turns are in each frame, at each confidence, and have each of its patterns", () => {
    const selected = turns.map(reference.selectFrame);
    for (const { id, patterns } of reference.FRAMES) {
      expect(selected.filter(({ frame_id }) => frame_id === id).length).toBeGreaterThan(OFTEN);
      expect(
        seldom(patterns, (text, pattern) => ` ${text.toLowerCase()} `.includes(` ${pattern} `)),
      ).toEqual([]);
    }
    for (const count of [0, 1, 2, 3, 4]) {
      const confidence = Math.min(1, 0.3 * count);
      expect(selected.filter((it) => it.confidence === confidence).length).toBeGreaterThan(OFTEN);
    }
  });

  test("enough turns continue by each rule, and enough open a topic", () => {
    const goesOn = turns.filter((text) => reference.nextTopic(text) === null);
    const opens = turns.filter((text) => reference.nextTopic(text) !== null);
    expect(opens.filter((text) => [...text.trim()].length > 200).length).toBeGreaterThan(OFTEN);
    const openings = [...reference.FOLLOW_UPS, ...reference.PRONOUNS, ...reference.BARE_QUESTIONS];
    expect(seldom(openings, begins("default"), goesOn)).toEqual([]);
    expect(seldom(["tell me more", "more about"], begins("default"), opens)).toEqual([]);
  });
});
