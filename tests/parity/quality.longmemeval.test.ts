// Reading LongMemEval as its authors publish it, and judging what was found as they do.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { BM25, type System } from "../../benches/quality/contestants.ts";
import { itemsOf } from "../../benches/quality/json-items.ts";
import {
  isLongMemEval,
  parseInstance,
  readLongMemEval,
} from "../../benches/quality/longmemeval.ts";
import {
  judgedInstance,
  judgedRanking,
  reportOnLongMemEval,
} from "../../benches/quality/longmemeval-report.ts";
import { amount, runs } from "../support/amount.ts";

const folder = mkdtempSync(join(tmpdir(), "nous-longmemeval-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of items) found.push(one);
  return found;
}

const ENTRY = {
  question_id: "q_kite",
  question_type: "multi-session",
  question: "Which colour has the kite that I bought?",
  answer: 2,
  question_date: "2024/03/09 (Sat) 18:05",
  haystack_dates: ["2024/03/01 (Fri) 07:30", "2024/03/04 (Mon) 21:15", "2024/03/02 (Sat) 10:00"],
  haystack_session_ids: ["talk_1", "answer_kite", "talk_2"],
  haystack_sessions: [
    [
      { role: "user", content: "How do I bake rye bread?" },
      { role: "assistant", content: "Start with sourdough the evening before." },
    ],
    [
      { role: "user", content: "I bought a green kite today.", has_answer: true },
      { role: "assistant", content: "A kite in green stands out.", has_answer: true },
      { role: "user", content: "  ", has_answer: false },
    ],
    [{ role: "user", content: "Name a good film about trains." }],
  ],
  answer_session_ids: ["answer_kite"],
};
const ABSTENTION = {
  ...ENTRY,
  question_id: "q_boat_abs",
  question: "Which colour has the boat that I bought?",
  answer: "Nothing is said of a boat.",
  answer_session_ids: ["answer_boat"],
};

describe("a file of LongMemEval", () => {
  it("has turns as memories, sessions as clusters, and the time of the question as present", () => {
    const { asking, ...rest } = parseInstance(ENTRY, "file[0]");
    expect(rest).toEqual({
      id: "q_kite",
      isAbstention: false,
      sessionOf: new Map([
        ["0:0", "talk_1"],
        ["0:1", "talk_1"],
        ["1:0", "answer_kite"],
        ["1:1", "answer_kite"],
        ["2:0", "talk_2"],
      ]),
      sessions: new Set(["answer_kite"]),
      ofUser: new Set(["1:0"]),
    });
    expect(asking.cases).toEqual([
      expect.objectContaining({
        text: ENTRY.question,
        kind: "multi-session",
        now: Date.parse("2024-03-09T18:05:00Z"),
      }),
    ]);
    expect([...asking.cases[0]!.grades.keys()]).toEqual(["1:0", "1:1"]);
    expect(
      asking.store.memories.map(({ text, created_at, clusters }) => [text, created_at, clusters]),
    ).toEqual([
      ["How do I bake rye bread?", "2024-03-01T07:30:00Z", ["talk_1"]],
      ["Start with sourdough the evening before.", "2024-03-01T07:30:00Z", ["talk_1"]],
      ["I bought a green kite today.", "2024-03-04T21:15:00Z", ["answer_kite"]],
      ["A kite in green stands out.", "2024-03-04T21:15:00Z", ["answer_kite"]],
      ["Name a good film about trains.", "2024-03-02T10:00:00Z", ["talk_2"]],
    ]);
  });

  it("is told from a file of sets by its first question", async () => {
    const json = JSON.stringify([ENTRY]);
    expect(await isLongMemEval(file("l.json", json))).toBe(true);
    expect(await isLongMemEval(file("l.json.gz", gzipSync(json)))).toBe(true);
    expect(await isLongMemEval(file("s.json", JSON.stringify([{ name: "x" }])))).toBe(false);
    for (const wrong of ["", "[]", "[7]", "[null]", '[{"haystack_sessions"', "7"])
      expect(await isLongMemEval(file("w.json", wrong)), wrong).toBe(false);
    expect(await isLongMemEval(join(folder, "none.json"))).toBe(false);
  });

  it("may hold a question of abstention, whose sessions need not be there", async () => {
    const path = file("two.json", JSON.stringify([ENTRY, ABSTENTION]));
    const read = await all(readLongMemEval(path));
    expect(read.map(({ id, isAbstention }) => [id, isAbstention])).toEqual([
      ["q_kite", false],
      ["q_boat_abs", true],
    ]);
  });

  const AT = "file[0] (q_kite)";
  const turn = (change: object) => {
    const [first, ...rest] = ENTRY.haystack_sessions;
    return { haystack_sessions: [[{ ...first![0]!, ...change }], ...rest] };
  };
  it.each<[change: object, message: string]>([
    [{ question_id: 3 }, "file[0].question_id: 3 is no text"],
    [{ question: "" }, `${AT}.question: "" is no text`],
    [{ question_type: null }, `${AT}.question_type: null is no text`],
    [{ question_date: "2024-03-09" }, `${AT}.question_date: "2024-03-09" is no time such as`],
    [{ question_date: "2024/02/30 (Fri) 10:00" }, `${AT}.question_date: "2024/02/30 (Fri) 10:00"`],
    [{ question_date: "2024/03/09 (Sat) 24:00" }, `${AT}.question_date: `],
    [{ haystack_session_ids: "talk_1" }, `${AT}.haystack_session_ids: "talk_1" is no list`],
    [
      { haystack_session_ids: ["talk_1", 2, "talk_2"] },
      `${AT}.haystack_session_ids[1]: 2 is no text`,
    ],
    [
      { haystack_dates: ENTRY.haystack_dates.slice(1) },
      `${AT}.haystack_dates: 2 items, where haystack_session_ids has 3`,
    ],
    [{ haystack_dates: [...ENTRY.haystack_dates.slice(1), 7] }, `${AT}.haystack_dates[2]: 7 is no`],
    [{ haystack_sessions: [] }, `${AT}.haystack_sessions: 0 items, where haystack_session_ids`],
    [{ haystack_sessions: [[], {}, []] }, `${AT}.haystack_sessions[1]: {} is no list`],
    [{ haystack_sessions: [["Hi"], [], []] }, `${AT}.haystack_sessions[0][0]: "Hi" is no object`],
    [turn({ role: "system" }), `${AT}.haystack_sessions[0][0].role: "system" is none of user, ass`],
    [turn({ content: null }), `${AT}.haystack_sessions[0][0].content: null is no text`],
    [turn({ has_answer: "yes" }), `${AT}.haystack_sessions[0][0].has_answer: "yes" is neither`],
    [{ answer_session_ids: undefined }, `${AT}.answer_session_ids: nothing is no list`],
    [{ answer_session_ids: [] }, `${AT}.answer_session_ids: an empty list. Name one session`],
    [{ answer_session_ids: ["talk_9"] }, `${AT}.answer_session_ids: talk_9 is no session of the`],
  ])("with %j is refused", (change, message) => {
    expect(() => parseInstance({ ...ENTRY, ...change }, "file[0]")).toThrow(message);
  });

  it("is refused with the place of the wrong question, and with a repeated id", async () => {
    const wrong = file("wrong.json", JSON.stringify([ENTRY, { ...ABSTENTION, question: 1 }]));
    await expect(all(readLongMemEval(wrong))).rejects.toThrow(
      "wrong.json[1] (q_boat_abs).question: 1 is no text",
    );
    const twice = file("twice.json", JSON.stringify([ENTRY, ENTRY]));
    await expect(all(readLongMemEval(twice))).rejects.toThrow("two questions have the id q_kite");
  });
});

describe("the items of a list", () => {
  it("are what JSON.parse returns, whatever they hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.nat(3),
        fc.boolean(),
        async (items, space, zip) => {
          const json = `\n ${JSON.stringify(items, null, space)} \r\n`;
          const path = file("items.json", zip ? gzipSync(json) : json);
          expect(await all(itemsOf(path))).toEqual(JSON.parse(json));
        },
      ),
      runs(amount(500)),
    );
  });

  it("are read across the pieces in which a file comes", async () => {
    const items = Array.from({ length: 40 }, (_, i) => ({ text: `“\\"${"ü]},".repeat(900 * i)}` }));
    const path = file("long.json", JSON.stringify(items));
    expect(await all(itemsOf(path))).toEqual(items);
  });

  it.each([
    ["", "bad.json: no JSON: the list does not end"],
    ["[1, 2", "bad.json: no JSON: the list does not end"],
    ['["a', "bad.json: no JSON: the list does not end"],
    ["{}", "bad.json: no JSON: it is not one list"],
    ["[1] 2", "bad.json: no JSON: it is not one list"],
    ["[1}", "bad.json: no JSON: the list ends with }"],
    ["[1,]", "bad.json[1]: no JSON: "],
    ["[,1]", "bad.json[0]: no JSON: "],
    ["[1, nul]", "bad.json[1]: no JSON: "],
    ['[{"a": 1]]', "bad.json[0]: no JSON: "],
  ])("in %j are refused", async (text, message) => {
    await expect(all(itemsOf(file("bad.json", text)))).rejects.toThrow(message);
  });

  it("in a damaged or missing file are refused", async () => {
    const half = gzipSync(JSON.stringify(["a"])).subarray(0, 14);
    await expect(all(itemsOf(file("half.gz", half)))).rejects.toThrow("half.gz: no JSON: ");
    await expect(all(itemsOf(join(folder, "none.json")))).rejects.toThrow("none.json");
  });
});

describe("a ranking", () => {
  const answers = new Set(["a", "b"]);

  it("is judged by its first five and ten, and by the gain of the authors", () => {
    expect(judgedRanking(["a", "b"], answers)).toEqual({ any5: 1, all5: 1, any10: 1, ndcg10: 1 });
    // The first two places gain 1 each, the third 1 / log2(3).
    expect(judgedRanking(["x", "a", "b"], answers)).toEqual({
      ...{ any5: 1, all5: 1, any10: 1 },
      ndcg10: expect.closeTo((1 + 1 / Math.log2(3)) / 2, 12),
    });
    const late = ["1", "2", "3", "4", "5", "a", "6", "7", "8", "9", "b"];
    expect(judgedRanking(late, answers)).toEqual({
      ...{ any5: 0, all5: 0, any10: 1 },
      ndcg10: expect.closeTo(1 / Math.log2(6) / 2, 12),
    });
    expect(judgedRanking([], answers)).toEqual({ any5: 0, all5: 0, any10: 0, ndcg10: 0 });
  });

  it("of more than ten answers can be perfect", () => {
    const many = Array.from({ length: 12 }, (_, i) => `${i}`);
    expect(judgedRanking(many, new Set(many)).ndcg10).toBe(1);
  });

  it("of turns ranks a session by its first turn", () => {
    const instance = parseInstance(ENTRY, "file[0]");
    const { kind, bySession, byTurn, ofUser } = judgedInstance(instance, ["0:1", "0:0", "1:1"]);
    expect(kind).toBe("multi-session");
    expect(bySession).toEqual({ any5: 1, all5: 1, any10: 1, ndcg10: 1 });
    expect(byTurn).toMatchObject({ any5: 1, all5: 0 });
    // The turn of the user was not found; its session was.
    expect(ofUser).toEqual({
      bySession: { any5: 1, all5: 1, any10: 1, ndcg10: 1 },
      byTurn: { any5: 0, all5: 0, any10: 0, ndcg10: 0 },
    });
  });

  it("counts by turn only where turns are marked", () => {
    const plain = ENTRY.haystack_sessions.map((session) =>
      session.map(({ role, content }) => ({ role, content })),
    );
    const instance = parseInstance({ ...ENTRY, haystack_sessions: plain }, "file[0]");
    const judged = judgedInstance(instance, ["1:0"]);
    expect(judged.bySession.any5).toBe(1);
    expect(judged).not.toHaveProperty("byTurn");
    expect(judged).not.toHaveProperty("ofUser");
  });
});

describe("the report", () => {
  it("has figures by session, by turn and by type, without abstention", async () => {
    const ofAssistant = {
      ...ENTRY,
      question_id: "q_bread",
      question_type: "single-session-assistant",
      question: "What did you say about sourdough?",
      answer_session_ids: ["talk_1"],
      haystack_sessions: [
        [
          ENTRY.haystack_sessions[0]![0],
          { role: "assistant", content: "Sourdough.", has_answer: true },
        ],
        [{ role: "user", content: "I bought a green kite today." }],
        ENTRY.haystack_sessions[2],
      ],
    };
    const path = file("three.json", JSON.stringify([ENTRY, ABSTENTION, ofAssistant]));
    let open = 0;
    const counted: System = {
      ...BM25,
      name: "counted",
      open(store, max) {
        expect(++open).toBe(1);
        const { ask } = BM25.open(store, max);
        return { ask, free: () => void open-- };
      },
    };
    const report = await reportOnLongMemEval(path, [BM25, counted], () => {});
    expect(report).toContain("## three.json: 2 questions, 5 turns each; 1 of abstention left out");
    const perfect = Array(4).fill("1.000 (1.00–1.00)").join(" | ");
    expect(report).toContain(`By session:\n\n| system | recall@5 (any) | recall@5 (all) |`);
    expect(report.split(`| BM25, stems | ${perfect} |`)).toHaveLength(5);
    expect(report).toContain("By turn, 2 questions with a marked turn:");
    expect(report).toContain("| multi-session (1) | single-session-assistant (1) |");
    expect(report).toContain("| counted | 1.000 · 1.000 | 1.000 · 1.000 |");
    expect(report).toContain("1 questions that a turn of the user answers");
  });

  it("is refused for a file without a question that has an answer", async () => {
    const path = file("none-answers.json", JSON.stringify([ABSTENTION]));
    await expect(reportOnLongMemEval(path, [BM25], () => {})).rejects.toThrow(
      "none-answers.json: no question has an answer",
    );
  });
});
