// Reading sets of questions from files.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { askingOf } from "../../benches/quality/measure.ts";
import { parseSets, readSet } from "../../benches/quality/read-set.ts";

const folder = mkdtempSync(join(tmpdir(), "nous-sets-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const MEMORY = {
  id: "m1",
  text: "Mira prefers tea.",
  created_at: "2026-02-20T08:00:00Z",
  cluster: "2026-02-20",
};
const OTHER = { ...MEMORY, id: "m2", text: "Mira prefers coffee.", speaker: "Mira" };
const QUESTION = { text: "Tea or coffee?", answers: ["m1"], kind: "preference" };
const SET = { name: "drinks", memories: [MEMORY, OTHER], questions: [QUESTION] };
const READ = { ...SET, questions: [{ ...QUESTION, part: "dev" }] };

const full = {
  name: "everything",
  memories: [
    {
      ...OTHER,
      title: "Drinks",
      subtype: "custom:preference",
      language: "en",
      event_time: "2026-02-21T09:30:00.5+01:00",
    },
    MEMORY,
  ],
  questions: [
    {
      ...QUESTION,
      part: "test",
      now: "2026-03-01T00:00Z",
      outdated: ["m2"],
      language: "en",
    },
    { text: "Wine?", answers: [], kind: "unanswerable", part: "dev" },
  ],
};

describe("a file of sets", () => {
  it("is read as JSON, compressed or not, whatever its name", () => {
    const json = JSON.stringify([SET, full]);
    for (const path of [
      file("a.json", json),
      file("b.json.gz", gzipSync(json)),
      file("c.json", gzipSync(json)),
    ])
      expect(readSet(path)).toEqual([READ, full]);
  });

  it("puts questions without a part into the development half", () => {
    expect(parseSets([SET], "sets")[0]!.questions[0]!.part).toBe("dev");
  });

  it("takes the last of several memories with one id", () => {
    const memories = [MEMORY, OTHER, { ...MEMORY, text: "Mira prefers water." }];
    expect(parseSets([{ ...SET, memories }], "sets")[0]!.memories).toEqual([OTHER, memories[2]]);
  });

  it.each(["", null])("takes a title, subtype, speaker or language of %j for none", (none) => {
    const empty = { title: none, subtype: none, speaker: none, language: none };
    const [set] = parseSets([{ ...SET, memories: [{ ...MEMORY, ...empty }] }], "sets");
    expect(set!.memories).toEqual([MEMORY]);
  });

  it("takes a cluster of null for none", () => {
    const [set] = parseSets([{ ...SET, memories: [{ ...MEMORY, cluster: null }, OTHER] }], "sets");
    const { cluster: _, ...alone } = MEMORY;
    expect(set!.memories).toEqual([alone, OTHER]);
    expect(askingOf(set!).store.memories.map(({ clusters }) => clusters)).toEqual([
      [],
      [OTHER.cluster],
    ]);
  });

  it("takes forbidden memories for outdated ones, and leaves other fields of published sets", () => {
    const others = { id: "q1", sessions: ["s1"], resolved: "Does Mira prefer tea?", last: "Tea?" };
    const questions = [
      { ...QUESTION, ...others, forbidden: ["m2", "m2"] },
      { ...QUESTION, forbidden: ["m2"], outdated: ["m2"] },
      { ...QUESTION, answers: [], forbidden: [] },
    ];
    const [set] = parseSets([{ ...SET, questions }], "sets");
    expect(set!.questions).toEqual([
      { ...QUESTION, part: "dev", outdated: ["m2"] },
      { ...QUESTION, part: "dev", outdated: ["m2"] },
      { ...QUESTION, part: "dev", answers: [], outdated: [] },
    ]);
  });

  it("names an answer once, even if the file repeats it", () => {
    const questions = [{ ...QUESTION, answers: ["m1", "m2", "m1"] }];
    const [set] = parseSets([{ ...SET, questions }], "sets");
    expect(set!.questions[0]!.answers).toEqual(["m1", "m2"]);
  });

  it("is named in the error if it is missing, no JSON, or damaged", () => {
    expect(() => readSet(join(folder, "none.json"))).toThrow(/none\.json/);
    expect(() => readSet(file("half.json", "[{"))).toThrow(/half\.json: no JSON: /);
    const damaged = gzipSync("[]").subarray(0, 12);
    expect(() => readSet(file("damaged.json.gz", damaged))).toThrow(/damaged\.json\.gz: no JSON: /);
  });
});

const memory = (change: object) => [{ ...SET, memories: [MEMORY, { ...OTHER, ...change }] }];
const question = (change: object) => [{ ...SET, questions: [{ ...QUESTION, ...change }] }];
const MEMORY_PLACE = "sets[0].memories[1] (m2)";
const QUESTION_PLACE = "sets[0].questions[0] (“Tea or coffee?”)";

describe("a wrong set is refused", () => {
  it.each<[value: unknown, message: string]>([
    [null, "sets: null is no list"],
    [{}, "sets: {} is no list"],
    [[], "sets: an empty list. Give one set at least"],
    [[7], "sets[0]: 7 is no object"],
    [[[]], "sets[0]: [] is no object"],
    [[SET, SET], "sets: two sets have the name drinks"],
    [[{ ...SET, name: "" }], 'sets[0].name: "" is no text'],
    [[{ ...SET, names: 1 }], "unknown field names. Known are name, memories, questions"],
    [[{ name: "x", questions: [] }], "sets[0].memories: nothing is no list"],
    [[{ name: "x", memories: [] }], "sets[0].questions: nothing is no list"],
    [[{ ...SET, memories: ["m1"] }], 'sets[0].memories[0]: "m1" is no object'],
    [memory({ id: 3 }), "sets[0].memories[1].id: 3 is no text"],
    [memory({ text: " " }), `${MEMORY_PLACE}.text: " " is no text`],
    [memory({ cluster: undefined }), `${MEMORY_PLACE}.cluster: nothing is no text`],
    [memory({ cluster: "" }), `${MEMORY_PLACE}.cluster: "" is no text`],
    [memory({ title: {} }), `${MEMORY_PLACE}.title: {} is no text`],
    [memory({ subtype: 1 }), `${MEMORY_PLACE}.subtype: 1 is no text`],
    [memory({ speaker: [] }), `${MEMORY_PLACE}.speaker: [] is no text`],
    [memory({ language: " " }), `${MEMORY_PLACE}.language: " " is no text`],
    [
      memory({ created_at: "2026-02-20" }),
      `${MEMORY_PLACE}.created_at: "2026-02-20" is no instant`,
    ],
    [memory({ created_at: 0 }), `${MEMORY_PLACE}.created_at: 0 is no instant`],
    [memory({ created_at: "2026-02-30T00:00:00Z" }), "2026-02-30T00:00:00Z"],
    [memory({ created_at: "2026-02-20T25:00:00Z" }), "2026-02-20T25:00:00Z"],
    [memory({ event_time: "soon" }), `${MEMORY_PLACE}.event_time: "soon" is no instant`],
    [memory({ tags: [] }), "sets[0].memories[1]: unknown field tags"],
    [question({ text: "" }), 'sets[0].questions[0].text: "" is no text'],
    [question({ kind: undefined }), `${QUESTION_PLACE}.kind: nothing is no text`],
    [question({ answers: "m1" }), `${QUESTION_PLACE}.answers: "m1" is no list`],
    [question({ answers: ["m1", "m9"] }), `${QUESTION_PLACE}.answers[1]: "m9" is the id of no`],
    [question({ answers: [1] }), `${QUESTION_PLACE}.answers[0]: 1 is the id of no memory`],
    [question({ outdated: ["m9"] }), `${QUESTION_PLACE}.outdated[0]: "m9" is the id of no`],
    [question({ outdated: ["m1"] }), `${QUESTION_PLACE}.outdated: the memory m1 is an answer, too`],
    [question({ forbidden: ["m9"] }), `${QUESTION_PLACE}.forbidden[0]: "m9" is the id of no`],
    [question({ forbidden: ["m1"] }), `${QUESTION_PLACE}.forbidden: the memory m1 is an answer`],
    [question({ part: "train" }), `${QUESTION_PLACE}.part: "train" is none of dev, test`],
    [question({ now: "today" }), `${QUESTION_PLACE}.now: "today" is no instant`],
    [question({ language: 2 }), `${QUESTION_PLACE}.language: 2 is no text`],
    [question({ grade: 2 }), "unknown field grade. Known are text, answers, kind, part"],
  ])("%j", (value, message) => {
    expect(() => parseSets(value, "sets")).toThrow(message);
  });

  it("cuts long values short", () => {
    expect(() => parseSets("x".repeat(1000), "sets")).toThrow(/^sets: "x{59}… is no list$/);
  });
});
