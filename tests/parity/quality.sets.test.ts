// The general memory and the labelled questions over it and over the trader's memory.

import { createEngine } from "nous-wasm";
import { stem } from "porter2";
import { describe, expect, it } from "vitest";
import { languageSet } from "../../benches/quality/own-languages.ts";
import { GENERAL_QUESTIONS, ownSets } from "../../benches/quality/own-sets.ts";
import { PARTS, partOf, type SetQuestion } from "../../benches/quality/question-set.ts";
import { parseSets } from "../../benches/quality/read-set.ts";
import { LOOKALIKES, REPLACEMENTS } from "../../benches/quality/replacements.ts";
import {
  clusterOf,
  GENERAL_END,
  GENERAL_MEMORIES,
  GENERAL_START,
  GENERAL_SUBTYPES,
  LANGUAGES,
} from "../../js/sample/general/index.ts";
import { generateSample } from "../../js/sample/trader/index.ts";

const DAY = 86_400_000;
const JAPANESE = /[\u3040-\u30ff]/;

const sets = ownSets(generateSample());
const [general, trader] = sets as [(typeof sets)[0], (typeof sets)[0]];
const memories = new Map(general.memories.map((one) => [one.id, one]));
const all = sets.flatMap(({ questions }) => questions);

const ofKind = (questions: readonly SetQuestion[], ...kinds: string[]) =>
  questions.filter(({ kind }) => kinds.includes(kind));
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
const made = (id: string) => Date.parse(memories.get(id)!.created_at);

/** Counts items by a key. */
function tally<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

describe("the general memory", () => {
  it("has 600 memories or more, each with an id and a text of its own", () => {
    expect(GENERAL_MEMORIES.length).toBeGreaterThanOrEqual(600);
    expect(memories.size).toBe(GENERAL_MEMORIES.length);
    expect(new Set(GENERAL_MEMORIES.map(({ text }) => text)).size).toBe(GENERAL_MEMORIES.length);
    for (const { id } of GENERAL_MEMORIES) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it("covers a year in the order of making, with 40 memories or more in every month", () => {
    const times = GENERAL_MEMORIES.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(Date.parse(GENERAL_START));
    expect(times.at(-1)).toBeLessThan(Date.parse(GENERAL_END));
    const months = tally(GENERAL_MEMORIES, ({ created_at }) => created_at.slice(0, 7));
    expect(months.size).toBe(12);
    for (const [month, count] of months) expect(count, month).toBeGreaterThanOrEqual(40);
  });

  it("announces events that come after the memory, within three months", () => {
    const announcing = GENERAL_MEMORIES.filter(({ event_time }) => event_time !== undefined);
    expect(announcing.length).toBeGreaterThanOrEqual(10);
    for (const { id, created_at, event_time } of announcing) {
      const ahead = Date.parse(event_time!) - Date.parse(created_at);
      expect(ahead, id).toBeGreaterThan(0);
      expect(ahead, id).toBeLessThan(92 * DAY);
    }
  });

  it("has memories of every subtype, and no other subtype", () => {
    const used = tally(GENERAL_MEMORIES, ({ subtype }) => subtype);
    expect([...used.keys()].sort()).toEqual(Object.keys(GENERAL_SUBTYPES));
  });

  it("has sections for its subtypes, which the engine takes as a setting", () => {
    const engine = createEngine({ sections: { subtypes: GENERAL_SUBTYPES } });
    for (const [subtype, { section }] of Object.entries(GENERAL_SUBTYPES))
      expect(engine.getSectionForSubtype(subtype), subtype).toBe(section);
  });

  it("has short and long texts", () => {
    const lengths = GENERAL_MEMORIES.filter(({ language }) => language !== "ja").map(
      ({ text }) => wordsOf(text).length,
    );
    expect(Math.min(...lengths)).toBeLessThanOrEqual(5);
    expect(Math.max(...lengths)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(130);
  });

  it("has 20 memories or more in each language, and marks Japanese as Japanese", () => {
    const counts = tally(GENERAL_MEMORIES, ({ language = "en" }) => language);
    expect([...counts.keys()].sort()).toEqual([...LANGUAGES].sort());
    for (const language of LANGUAGES) expect(counts.get(language)).toBeGreaterThanOrEqual(20);
    // A text in English may quote a word of Japanese.
    for (const { id, language, text } of GENERAL_MEMORIES)
      expect((text.match(/[\u3040-\u30ff\u4e00-\u9fff]/g) ?? []).length > text.length / 3, id).toBe(
        language === "ja",
      );
  });

  it("has conversations of several turns with speakers, one cluster each", () => {
    const turns = GENERAL_MEMORIES.filter(({ subtype }) => subtype === "custom:turn");
    for (const { id, speaker } of turns) expect(["Jana", "assistant"], id).toContain(speaker);
    for (const [cluster, count] of tally(turns, clusterOf))
      expect(count, cluster).toBeGreaterThanOrEqual(3);
  });

  it("assigns a memory without a cluster to its day", () => {
    expect(clusterOf(GENERAL_MEMORIES.find(({ id }) => id === "bins")!)).toBe("2026-08-26");
    expect(memories.get("bins")!.cluster).toBe("2026-08-26");
    expect(memories.get("onsen-wakura")!.cluster).toBe("kanazawa-trip");
  });
});

describe("the own questions", () => {
  it("pass the reader of question sets", () => {
    expect(parseSets(JSON.parse(JSON.stringify(sets)), "own sets")).toEqual(sets);
  });

  it("occur once each", () => {
    const twice = [...tally(all, ({ text }) => text.toLowerCase())].filter(
      ([, count]) => count > 1,
    );
    expect(twice).toEqual([]);
  });

  it("are as many as each group promises", () => {
    const counts = Object.fromEntries(
      Object.entries(GENERAL_QUESTIONS).map(([group, list]) => [group, list.length]),
    );
    expect(counts.facts).toBeGreaterThanOrEqual(200);
    expect(counts.times).toBeGreaterThanOrEqual(100);
    expect(counts.corrections).toBeGreaterThanOrEqual(60);
    expect(ofKind(all, "paraphrase").length).toBeGreaterThanOrEqual(120);
    expect(ofKind(all, "unanswerable")).toHaveLength(30);
    expect(ofKind(all, "unanswerable-close")).toHaveLength(30);
    const facts = tally(GENERAL_QUESTIONS.facts!, ({ language = "en" }) => language);
    expect(facts.get("en")).toBeGreaterThanOrEqual(140);
    expect(facts.get("de")).toBeGreaterThanOrEqual(30);
    expect(facts.get("ja")).toBeGreaterThanOrEqual(30);
  });

  it("include the 421 labelled questions over the trader's memory with their exact answers", () => {
    const labelled = ofKind(trader.questions, "single", "compound", "vague", "misleading");
    expect(labelled).toHaveLength(421);
    expect(tally(labelled, ({ part }) => part)).toEqual(
      new Map([
        ["dev", 194],
        ["test", 227],
      ]),
    );
    for (const { text, answers } of labelled) expect(answers.length, text).toBeGreaterThan(0);
  });

  it("have answers, unless the memory cannot answer", () => {
    for (const { text, kind, answers } of all)
      expect(answers.length > 0, text).toBe(!kind.startsWith("unanswerable"));
  });

  it("say in which language they are asked", () => {
    for (const { text, language } of all) expect(JAPANESE.test(text), text).toBe(language === "ja");
    expect(new Set(all.map(({ language }) => language))).toEqual(new Set(LANGUAGES));
  });

  it("are asked within the year of the general memory, after their answers were stored", () => {
    for (const { text, now, answers } of general.questions) {
      expect(Date.parse(now!), text).toBeGreaterThan(Date.parse(GENERAL_START));
      expect(Date.parse(now!), text).toBeLessThanOrEqual(Date.parse(GENERAL_END));
      for (const id of answers) expect(made(id), `${text}: ${id}`).toBeLessThan(Date.parse(now!));
    }
  });

  it("are asked at several times, where they name a time", () => {
    const times = ofKind(general.questions, "time");
    expect(new Set(times.map(({ now }) => now)).size).toBeGreaterThan(40);
  });

  it("divide every kind into halves", () => {
    const labelled = ["single", "compound", "vague", "misleading"];
    const written = all.filter(({ kind }) => !labelled.includes(kind));
    const kinds = tally(written, ({ kind }) => kind);
    for (const [kind, count] of kinds) {
      const test = written.filter((one) => one.kind === kind && one.part === "test").length;
      expect(test / count, kind).toBeGreaterThanOrEqual(0.38);
      expect(test / count, kind).toBeLessThanOrEqual(0.62);
    }
  });

  it("stay in their half, whatever else changes", () => {
    // Recorded. A question that moved from one half to the other would be fitted and tested on.
    const recorded = ["Who has our spare key?", "Is Emi allowed to eat hazelnuts?", "a", "b", "c"];
    expect(recorded.map(partOf)).toEqual(["test", "dev", "dev", "dev", "test"]);
    for (const { text, part } of general.questions) expect(part, text).toBe(partOf(text));
    expect(new Set(general.questions.map(({ part }) => part))).toEqual(new Set(PARTS));
  });
});

describe("the questions in another language", () => {
  const set = languageSet();
  const byId = new Map(set.memories.map((one) => [one.id, one]));
  const longWords = (text: string) =>
    (
      text
        .toLowerCase()
        .normalize("NFKD")
        .match(/\p{Script=Latin}+/gu) ?? []
    ).filter(({ length }) => length >= 4);

  it("pass the reader of question sets", () => {
    expect(parseSets(JSON.parse(JSON.stringify([set])), "languages")).toEqual([set]);
  });

  it("are 40 over a memory of 125 texts, 25 in each language", () => {
    expect(byId.size).toBe(125);
    expect(new Set(set.memories.map(({ text }) => text)).size).toBe(125);
    const counts = tally(set.memories, ({ language }) => language!);
    expect(counts).toEqual(new Map(["en", "de", "fr", "es", "ja"].map((one) => [one, 25])));
    const ways = tally(set.questions, ({ kind }) => kind);
    expect(ways.size).toBe(8);
    for (const [way, count] of ways) expect(count, way).toBe(5);
  });

  it("have one answer each, in another language and without a long word in common", () => {
    expect(new Set(set.questions.flatMap(({ answers }) => answers)).size).toBe(40);
    for (const { text, language, answers, kind } of set.questions) {
      const answer = byId.get(answers[0]!)!;
      expect(kind).toBe(`${language} → ${answer.language}`);
      expect(
        [language, answer.language].filter((one) => one === "en"),
        text,
      ).toHaveLength(1);
      const asked = new Set(longWords(text));
      expect(
        longWords(answer.text).filter((word) => asked.has(word)),
        text,
      ).toEqual([]);
    }
  });

  it("are marked by the language of their script", () => {
    for (const { text, language } of [...set.memories, ...set.questions])
      expect(JAPANESE.test(text), text).toBe(language === "ja");
  });
});

describe("pairs of memories", () => {
  const pairs = [...REPLACEMENTS, ...LOOKALIKES];

  it("are 100 or more of each sort, each of two memories in the order of making", () => {
    expect(REPLACEMENTS.length).toBeGreaterThanOrEqual(100);
    expect(LOOKALIKES.length).toBeGreaterThanOrEqual(100);
    for (const { older, newer } of pairs) {
      expect(memories.has(older), older).toBe(true);
      expect(memories.has(newer), newer).toBe(true);
      expect(made(older), `${older}, ${newer}`).toBeLessThan(made(newer));
    }
  });

  it("are listed once, as a replacement or as lookalikes", () => {
    const keys = pairs.map(({ older, newer }) => `${older} ${newer}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are often replaced without a word that announces a change", () => {
    const announcing =
      /\b(now|since|from now on|instead|switched|changed|no longer|new|any more|given up|moved|jetzt|nun|seit|nicht mehr)\b|今|にした/i;
    const silent = REPLACEMENTS.filter(({ newer }) => {
      const { title = "", text } = memories.get(newer)!;
      return !announcing.test(`${title} ${text}`);
    });
    expect(silent.length / REPLACEMENTS.length).toBeGreaterThan(0.45);
  });

  it("contain the outdated answers of all corrections", () => {
    const replaced = new Set(REPLACEMENTS.map(({ older }) => older));
    const outdated = ofKind(general.questions, "correction").flatMap((one) => one.outdated ?? []);
    // It says that Theo does not eat mushrooms, as the memory of the family does.
    const told = outdated.filter((id) => !replaced.has(id) && id !== "theo-mushrooms-still");
    expect(told).toEqual([]);
  });
});

describe("corrections", () => {
  const corrections = ofKind(general.questions, "correction");

  it("name the memories that the answers replace, which are older", () => {
    for (const { text, answers, outdated } of corrections) {
      expect(outdated?.length, text).toBeGreaterThan(0);
      for (const old of outdated!)
        for (const answer of answers) expect(made(old), text).toBeLessThan(made(answer));
    }
  });

  it("are the only questions with outdated answers", () => {
    expect(all.filter(({ outdated }) => outdated !== undefined)).toHaveLength(corrections.length);
  });
});

/** Function words: no content. The list of the Snowball stemmer for English, and some modals. */
const FUNCTION_WORDS = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she " +
    "her hers herself it its itself they them their theirs themselves what which who whom whose " +
    "this that these those am is are was were be been being have has had having do does did doing " +
    "would should could ought may might must shall will can a an the and but if or because as " +
    "until while of at by for with about against between into through during before after above " +
    "below to from up down in out on off over under again further then once here there when where " +
    "why how all any both each few more most much many other some such no nor not only own same so " +
    "than too very just now us s t"
  ).split(" "),
);

function stems(text: string): Set<string> {
  const words = wordsOf(text.toLowerCase()).filter((word) => !FUNCTION_WORDS.has(word));
  return new Set(words.map(stem));
}

describe("paraphrases", () => {
  it.each(sets)("share no content word with their answers, by stem: $name", (set) => {
    const byId = new Map(set.memories.map((one) => [one.id, one]));
    for (const { text, answers } of ofKind(set.questions, "paraphrase")) {
      const asked = stems(text);
      expect(asked.size, text).toBeGreaterThan(1);
      for (const id of answers) {
        const { title = "", text: body } = byId.get(id)!;
        const shared = [...stems(`${title} ${body}`)].filter((one) => asked.has(one));
        expect(shared, `${text} (${id})`).toEqual([]);
      }
    }
  });

  it("are compared by stem: other forms of a word count as the word", () => {
    expect(stems("The houses were painted")).toEqual(stems("A house, painting"));
    expect(stems("running boys")).toEqual(stems("he runs, the boy"));
  });
});
