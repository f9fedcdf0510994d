// Which of the memories that a turn finds its prompt shows.

import fc from "fast-check";
import { countLikely, Memory, promptOfTurn, remember } from "nous-memory";
import { NousError } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";

describe("the count of likely memories", () => {
  test("goes by the share of the best, and leaves out what has no more than chance gives", () => {
    expect(countLikely([0.9, 0.1, 0.0091, 0.0089, 0.001], "question")).toBe(4);
    expect(countLikely([0.1, 0.0013, 0.0013], "question")).toBe(2);
    expect(countLikely([0.0009], "question")).toBe(0);
    expect(countLikely([], "question")).toBe(0);
  });

  test("goes by the best alone, if the turn asks nothing", () => {
    for (const [best, count] of [
      [0.9, 22],
      [0.2, 5],
      [0.1, 2],
      [0.04, 1],
      [0.039, 0],
    ] as const)
      expect(countLikely([best, ...Array<number>(40).fill(best / 2)], "other")).toBe(count);
    expect(countLikely([0.9, 0.1, 0.0091, 0.0089, 0.001], "other")).toBe(4);
    expect(countLikely([], "other")).toBe(0);
  });

  test("asks of each further line of a question for more", () => {
    const counts = [0.004, 0.006, 0.01, 0.02].map((rest) =>
      countLikely([0.9, ...Array<number>(40).fill(rest)], "question"),
    );
    expect(counts).toEqual([1, 4, 8, 16]);
  });

  test("is small of a turn whose nearest memory is far", () => {
    const many = (best: number) => [best, ...Array<number>(60).fill(best / 2)];
    const counts = (turn: "question" | "other", best: number) =>
      [undefined, 0.31, 0.32].map((nearest) => countLikely(many(best), turn, { nearest }));
    expect(counts("other", 0.5)).toEqual([12, 2, 20]);
    expect(counts("other", 0.1)).toEqual([2, 0, 4]);
    expect(counts("question", 0.5)).toEqual([61, 10, 61]);
    expect(counts("question", 0.1)).toEqual([61, 3, 61]);
    expect(countLikely(many(0.5), "other", { nearest: 0.1, min_score: 0.2 })).toBe(61);
  });

  test("is small if even the best hardly answers", () => {
    const many = (best: number) => [best, ...Array<number>(20).fill(0.06)];
    expect(countLikely(many(0.1), "question")).toBe(21);
    expect(countLikely(many(0.0999), "question")).toBe(3);
  });

  test("goes by the given least probability alone", () => {
    expect(countLikely([0.05, 0.04, 0.03], "question", { min_score: 0.04 })).toBe(2);
    expect(countLikely([0.9, 0.001, 0], "other", { min_score: 0 })).toBe(3);
    expect(countLikely([0.9], "question", { min_score: 1 })).toBe(0);
  });
});

const NOW = Date.parse("2026-05-04T09:00:00Z");
const FOODS = "soup bread rice fish cheese salad noodles beans apples plums pears kale leeks".split(
  " ",
);

/** A memory with a profile of so many lines, and an event each day. */
function lived(profile: number): Memory {
  const memory = new Memory({ clock: () => NOW });
  for (const food of FOODS.slice(0, profile))
    remember(memory, { text: `I like ${food} very much`, type: "preference" });
  for (let day = 1; day <= 20; day++) {
    const date = `2026-04-${String(day).padStart(2, "0")}T09:00:00Z`;
    const text = `The ferry of day ${day} brought letter ${day}.`;
    remember(memory, { text, type: "episode", created_at: date });
  }
  return memory;
}

const linesIn = (memory: Memory, turn: Parameters<typeof promptOfTurn>[1]) =>
  promptOfTurn(memory, turn).recalled.length;

describe("a prompt", () => {
  test("shows nothing for a turn about nothing that is stored, but a small profile", () => {
    const input = "Write a haiku about quantum physics";
    expect(linesIn(lived(0), { input })).toBe(0);
    expect(linesIn(lived(3), { input })).toBe(3);
    expect(linesIn(lived(4), { input })).toBe(0);
    expect(linesIn(lived(4), { input, min_score: 0 })).toBe(4);
  });

  test("shows three lines of the profile at most for a greeting, and nothing else", () => {
    expect(linesIn(lived(13), { input: "Hello!" })).toBe(3);
    expect(linesIn(lived(2), { input: "thanks" })).toBe(2);
  });

  test("shows of a large profile only what the question asks for", () => {
    const asked = promptOfTurn(lived(13), { input: "Do I like leeks?" });
    expect(asked.prompt).toContain("I like leeks");
    const [small, large] = [lived(3), lived(4)].map(
      (memory) => promptOfTurn(memory, { input: "Which letter came on day 7?" }).prompt,
    );
    expect(small).toContain("I like rice");
    expect(large).not.toContain("I like");
    for (const prompt of [small, large]) expect(prompt).toContain("letter 7.");
  });

  test("has max_lines memories at most, and says which did not get in", () => {
    const memory = lived(0);
    const turn = { input: "Which letters did the ferry bring?", min_score: 0 };
    const whole = promptOfTurn(memory, turn);
    expect(whole.recalled.length).toBeGreaterThan(7);
    const { recalled, left_out } = promptOfTurn(memory, { ...turn, max_lines: 7 });
    expect(recalled.map(({ id }) => id)).toEqual(whole.recalled.slice(0, 7).map(({ id }) => id));
    const others = whole.recalled.slice(7).map(({ id }) => id);
    const lines = left_out.filter(({ reason }) => reason === "lines").map(({ id }) => id);
    expect(lines).toEqual(expect.arrayContaining(others));
  });

  test("leaves out what is unlikely, and says so", () => {
    const memory = lived(0);
    remember(memory, { text: "The office is in Bergen." });
    const { prompt, left_out } = promptOfTurn(memory, {
      input: "Where is the office?",
      min_score: 0.999,
    });
    expect(prompt).toBe("");
    expect(left_out.map(({ reason }) => reason)).toContain("unlikely");
  });

  test.each([
    ["How much rent do we pay?", "We pay 1,200 of rent.", "What is our rent now?"],
    ["Wie viel Miete zahlen wir?", "Wir zahlen 1.200 Miete.", "Was kostet die Miete?"],
    ["¿Cuánto pagamos de alquiler?", "Pagamos 1.200 de alquiler.", "¿Qué alquiler hay?"],
    ["我们付多少房租？", "我们付一千二的房租。", "房租多少钱？"],
  ])("has no line that only asks: %s", (asks, tells, input) => {
    const memory = new Memory({ clock: () => NOW });
    const created_at = "2026-04-01T09:00:00Z";
    remember(memory, { text: asks, created_at });
    remember(memory, { text: tells, created_at });
    for (const min_score of [undefined, 0]) {
      const { prompt, left_out } = promptOfTurn(memory, { input, min_score });
      expect(prompt).toContain(tells);
      expect(prompt).not.toContain(asks);
      expect(left_out.map(({ reason }) => reason)).toContain("question");
    }
  });

  test.each(["Thanks!", "ok", "user: Danke", "Ana: Moin", "谢谢"])(
    "has no line that says nothing: %s",
    (idle) => {
      const memory = new Memory({ clock: () => NOW });
      const created_at = "2026-04-01T09:00:00Z";
      // A type is given, so that it is stored as it is.
      remember(memory, { text: idle, type: "episode", created_at });
      remember(memory, { text: "Mira lives in Oslo.", created_at });
      const { prompt, left_out } = promptOfTurn(memory, { input: "Where is she?", min_score: 0 });
      expect(prompt).toContain("Oslo");
      expect(prompt).not.toContain(idle);
      for (const { reason } of left_out) expect(reason).toBe("empty");
    },
  );

  test.each(["Blood group: A", "Smoker: no", "Children: 3", "Wifi password: hello"])(
    "has the line of a short fact: %s",
    (text) => {
      const memory = new Memory({ clock: () => NOW });
      remember(memory, { text, type: "fact" });
      const input = `What about this: ${text.split(":")[0]}?`;
      expect(promptOfTurn(memory, { input, min_score: 0 }).prompt).toContain(text);
    },
  );

  describe("of a turn that was stored before it was asked for", () => {
    const FACTS = [
      ["My sister Anna is allergic to nuts.", "I am cooking dinner for Anna tonight."],
      ["My doctor is Dr. Huber.", "I have to see the doctor tomorrow."],
      ["Our cat is called Mimi.", "Mimi is ill and does not eat."],
      ["The wifi password is on the fridge.", "I have forgotten the wifi password."],
      ["Der Steuerberater heißt Moser.", "Der Steuerberater will noch Belege sehen."],
    ] as const;
    /** All facts, with some others, two hours apart. */
    const known = () => {
      const memory = new Memory({ clock: () => NOW });
      const texts: string[] = FACTS.map(([fact]) => fact as string).concat(
        FOODS.map((food) => `We bought ${food}.`),
      );
      for (const [place, text] of texts.entries()) {
        const created_at = new Date(NOW - 30 * 86_400_000 + place * 7_200_000).toISOString();
        remember(memory, { text, created_at, type: "fact" });
      }
      return memory;
    };
    const recalled = (memory: Memory, input: string, said: readonly string[] = []) =>
      promptOfTurn(memory, {
        input,
        messages: said.map((content) => ({ role: "user", content })),
      });

    test.each(FACTS)("has the same lines: %s", (fact, input) => {
      const without = recalled(known(), input);
      const [first] = without.recalled;
      expect(first?.text).toContain(fact);
      const memory = known();
      remember(memory, { text: input, type: "fact" });
      const { prompt, probability, left_out } = recalled(memory, input);
      expect(prompt).toBe(without.prompt);
      // How rare a word is, and how long texts are, knows of one memory more.
      expect(Math.abs(probability - without.probability)).toBeLessThan(0.05);
      expect(left_out.map(({ reason }) => reason)).toContain("echo");
    });

    test("has them if the whole talk was stored", () => {
      const memory = known();
      const said: string[] = [];
      for (const [fact, input] of FACTS) {
        remember(memory, { text: input, type: "episode" });
        expect(recalled(memory, input, said).recalled[0]?.text, input).toContain(fact);
        said.push(input);
      }
    });
  });

  test("has a yes that was said beside a question", () => {
    const memory = new Memory({ clock: () => NOW });
    for (const [place, content] of ["Are you allergic to peanuts?", "Yes."].entries())
      remember(memory, {
        messages: [{ role: "user", content, created_at: `2026-04-01T09:0${place}:00Z` }],
        session: "s",
      });
    const input = "Is there an allergy to peanuts?";
    expect(promptOfTurn(memory, { input, min_score: 0 }).prompt).toContain("Yes.");
  });

  test("shows first what was said beside a question that it leaves out", () => {
    const memory = new Memory({ clock: () => NOW });
    const said = [
      "She takes blood thinners, so none of it.",
      "Can I give my mother an ibuprofen for her headache?",
    ];
    for (const [place, text] of said.entries())
      remember(memory, { text, type: "episode", created_at: `2026-04-01T09:0${place}:00Z` });
    const other = { text: "My mother likes plums.", created_at: "2026-03-01T09:00:00Z" };
    remember(memory, { ...other, type: "episode" });
    const input = "May my mother take ibuprofen?";
    const { recalled } = promptOfTurn(memory, { input });
    expect(recalled[0]!.text).toContain("blood thinners");
  });

  test.each([
    { min_score: -0.1 },
    { min_score: 1.1 },
    { min_score: Number.NaN },
    { max_lines: 0 },
    { max_lines: 1.5 },
  ])("is refused for %o", (limits) => {
    const [field] = Object.keys(limits);
    const build = () => promptOfTurn(lived(0), { input: "What?", ...limits });
    expect(build).toThrow(NousError);
    expect(build).toThrow(field);
  });
});

/** Texts that share no word, and a question for the first of them. */
const DAYS = [
  "Releases happen on Wednesdays around noon.",
  "The Bergen list hangs by the kettle.",
  "Bruno waters the ferns in the hall.",
  "The old kiln was sold.",
] as const;
const WHEN = "On which days do releases happen?";

/** A memory of these texts, and faint guesses from one to another. */
function guessedDays(pairs: readonly (readonly [newer: number, older: number])[]) {
  const memory = new Memory({ clock: () => NOW });
  const ids = DAYS.map((text) => remember(memory, text).stored[0]!.id);
  memory.index.unlink([...memory.edges()].map(({ id }) => id));
  memory.index.link(
    pairs.map(([newer, older], place) => ({
      ...{ id: `guess ${place}`, type: "faintly_supersedes", strength: 0.2 - place / 100 },
      ...{ source_id: ids[newer]!, target_id: ids[older]! },
    })),
  );
  const shown = (turn: Partial<Parameters<typeof promptOfTurn>[1]> = {}) => {
    const { prompt, recalled } = promptOfTurn(memory, { input: WHEN, ...turn });
    return { prompt, places: recalled.map(({ id }) => ids.indexOf(id)) };
  };
  return { memory, ids, shown };
}

describe("what may replace a line", () => {
  test("stands behind it, and says so", () => {
    const { shown, memory } = guessedDays([[1, 0]]);
    const { prompt, places } = shown();
    expect(places).toEqual([0, 1]);
    expect(prompt).toMatch(
      /noon\. \(noted on [^)]*\)\n- The Bergen list hangs by the kettle\. \(later than the line above\) \(noted on/,
    );
    expect(guessedDays([]).shown().places).toEqual([0]);
    // An agent that sends the line back says nothing new.
    const line = prompt.split("\n").find((one) => one.includes("Bergen"))!;
    expect(remember(memory, line)).toMatchObject({ created: 0, duplicates: 1 });
  });

  test("is at most two memories, the most probable", () => {
    expect(
      guessedDays([
        [3, 0],
        [1, 0],
        [2, 0],
      ]).shown().places,
    ).toEqual([0, 3, 1]);
  });

  test("is not brought by what it stands behind, nor twice", () => {
    expect(
      guessedDays([
        [1, 0],
        [2, 1],
        [1, 0],
      ]).shown().places,
    ).toEqual([0, 1]);
  });

  test("counts as a line, and is no exception to a least probability", () => {
    const { shown } = guessedDays([[1, 0]]);
    expect(shown({ max_lines: 1 }).places).toEqual([0]);
    expect(shown({ min_score: 0.05 }).places).toEqual([0]);
    expect(shown({ min_score: 0 }).places.slice(0, 2)).toEqual([0, 1]);
  });

  test("is left out if another memory supersedes it, or the conversation says it", () => {
    const { memory, ids, shown } = guessedDays([[1, 0]]);
    const messages = [{ role: "user", content: DAYS[1] }];
    expect(shown({ messages }).places).toEqual([0]);
    memory.index.link([{ id: "sure", type: "supersedes", source_id: ids[3]!, target_id: ids[1]! }]);
    expect(shown().places).not.toContain(1);
  });

  test("is brought by the first three lines alone", () => {
    const turn = { input: "Which letters did the ferry bring?", min_score: 0 };
    const isBehind = [0, 1, 2, 3, 5].map((older) => {
      const memory = lived(0);
      const before = promptOfTurn(memory, turn).recalled.map(({ id }) => id);
      const { id } = remember(memory, "The kettle is by the window.").stored[0]!;
      memory.index.link([
        {
          ...{ id: "guess", type: "faintly_supersedes", strength: 0.2 },
          ...{ source_id: id, target_id: before[older]! },
        },
      ]);
      const ids = promptOfTurn(memory, turn).recalled.map((one) => one.id);
      expect(ids.filter((one) => one !== id)).toEqual(before);
      return ids.indexOf(id) === older + 1;
    });
    expect(isBehind).toEqual([true, true, true, false, false]);
  });
});

describe("the profile", () => {
  const names = fc.constantFrom(
    "Nadine Roux",
    "Dr. Weber",
    "Frau Lindner",
    "Customer Ito",
    "Tom",
    "Zoë Ní Bhriain",
    "Jürgen (Vertrieb)",
    "Li",
  );
  const likes = fc.constantFrom(
    ...["prefers to be written to in French", "can't stand calls", "is allergic to nuts"],
    ...["eats no dairy", "works at the harbour", "mag keine Anrufe", "ist allergisch gegen Nüsse"],
    ...["prefiere el correo", "is Omar's sister", "strongly prefers short mails"],
  );
  const ofUser = fc.constantFrom(
    ...["I like tea", "User prefers small diffs", "My wife loves opera", "Short answers, please"],
    ...["Ich mag Tee", "User (Ines) prefers small diffs", "Nutzer mag keine Emojis"],
  );
  const shown = (texts: readonly string[]) => {
    const memory = new Memory({ clock: () => NOW });
    for (const text of texts) remember(memory, { text, type: "preference" });
    return promptOfTurn(memory, { input: "Write a haiku about quantum physics" }).prompt;
  };

  test("is of the user, not of customers, whatever they are called and like", () => {
    fc.assert(
      fc.property(names, likes, ofUser, (name, what, own) => {
        const prompt = shown([own, `${name} ${what}.`]);
        expect(prompt).toContain(own);
        expect(prompt).not.toContain(what);
      }),
      runs(amount(60, 20)),
    );
  });

  test("names the user, if most of it does", () => {
    fc.assert(
      fc.property(names, fc.uniqueArray(likes, { minLength: 2, maxLength: 2 }), (name, its) => {
        expect(shown([`${name} ${its[0]}.`])).toContain(its[0]);
        const prompt = shown([...its.map((what) => `${name} ${what}.`), "Bo loves rye."]);
        for (const what of its) expect(prompt).toContain(what);
        expect(prompt).not.toContain("rye");
      }),
      runs(amount(60, 20)),
    );
  });

  test("leaves what another person likes among the facts, where it is found", () => {
    const memory = new Memory({ clock: () => NOW });
    remember(memory, "I like short answers.");
    remember(memory, "Nadine Roux prefers to be written to in French.");
    const { prompt } = promptOfTurn(memory, {
      input: "How does Nadine Roux want to be written to?",
    });
    const [profile, facts] = prompt.split("## Relevant Facts");
    expect(profile).toContain("short answers");
    expect(facts).toContain("Nadine Roux");
  });
});
