// What a new memory likely replaces: the rule over generated pairs, and the guesses of a server.

import fc from "fast-check";
import { loadEmbedderSync } from "nous-embedder";
import {
  comparisonOf,
  learnedOffset,
  Memory,
  MIN_LIKELY,
  MIN_POSSIBLE,
  possiblyReplacedBy,
  probabilityOf,
  REPLACING_WEIGHTS,
  remember as rememberHere,
  replacingFeatures,
} from "nous-memory";
import { describe, expect, test } from "vitest";
import { CHANGES } from "../../benches/quality/changes/pairs.ts";
import { runs, SEED } from "../support/amount.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

console.log(`SEED=${SEED}`);
const { client } = sharedServer();
const embedder = loadEmbedderSync();

/** Remembers texts one after the other. Returns what each seems to replace. */
function guessesOf(texts: readonly string[]) {
  let now = Date.parse("2026-05-01T08:00:00Z");
  const memory = new Memory({ clock: () => now, embedder });
  const found = texts.map((text) => {
    now += 60_000;
    return rememberHere(memory, text).stored[0]!.replaces ?? [];
  });
  return { memory, found };
}

/** Returns the rows of a memory, and what compares them. */
function comparedIn(memory: Memory) {
  const rows = [...memory.all()];
  const store = {
    engine: memory.engine,
    ask: (question: string, options: object) =>
      memory.index.ask(question, { ...options, now: memory.now, times: false }),
    rows: (ids: readonly string[]) => rows.filter(({ id }) => ids.includes(id)),
    likelySuccessorsOf: () => [],
  };
  return { rows, store };
}

const noun = fc.constantFrom("ticket", "step", "memory", "widget", "invoice", "lane", "pump");
/** Nouns that no list of the rule holds. */
const thing = fc.constantFrom("pier", "bus", "tent", "kiosk", "turbine", "violin", "Wagen");
const told = fc.constantFrom("login is slow", "the fee is high", "red", "value stored", "it leaks");

describe("the rule", () => {
  test("never marks a series that numbers tell apart", () => {
    const series = fc.tuple(
      noun,
      fc.uniqueArray(fc.integer({ min: 1, max: 9_999 }), { minLength: 2, maxLength: 6 }),
      fc.array(told, { minLength: 6, maxLength: 6 }),
      fc.constantFrom(
        (it: string, n: number, what: string) => `${it} ${n}: ${what}`,
        (it: string, n: number, what: string) => `${it}${n}base${n}i${n} ${what}`,
        (it: string, n: number, what: string) => `The ${it} ${n} is now ${what}`,
        (it: string, n: number, what: string) => `${what}, says ${it} number ${n}`,
      ),
    );
    fc.assert(
      fc.property(series, ([it, numbers, whats, textOf]) => {
        const { found } = guessesOf(numbers.map((n, place) => textOf(it, n, whats[place]!)));
        expect(found.flat()).toEqual([]);
      }),
      runs(40),
    );
  });

  test("never marks things of one kind that numbers tell apart", () => {
    const series = fc.tuple(
      thing,
      fc.uniqueArray(fc.integer({ min: 1, max: 9_999 }), { minLength: 2, maxLength: 6 }),
      fc.constantFrom(
        (it: string, n: number) => `The ferry of ${it} ${n} is late`,
        (it: string, n: number) => `${it} ${n} was closed in winter`,
        (it: string, n: number) => `In summer ${it} ${n} has a new roof`,
      ),
    );
    fc.assert(
      fc.property(series, ([it, numbers, textOf]) => {
        const { found } = guessesOf(numbers.map((n) => textOf(it, n)));
        expect(found.flat()).toEqual([]);
      }),
      runs(40),
    );
  });

  test("does not let a name replace an amount of the same subject matter", () => {
    const amounts = fc.tuple(
      fc.constantFrom(
        (n: number) => `The rent of our flat is ${n} euros a month.`,
        (n: number) => `Our flat has ${n} square metres.`,
        (n: number) => `Our office has ${n} desks.`,
        (n: number) => `The gym costs ${n} euros a month.`,
        (n: number) => `Die Wohnung kostet ${n} Euro.`,
      ),
      fc.integer({ min: 30, max: 4_000 }),
      fc.constantFrom("I moved to Salzburg", "We moved to Leeds", "I joined Fitland"),
      fc.constantFrom(".", " in May.", " last week."),
    );
    // By the embeddings of the transformer such pairs are as near as those that replace.
    const probabilityWith = (emb: number, older: string, newer: string) => {
      const memoryOf = (title: string, created_at: number) => ({
        ...{ title, text: "", subtype: "fact", section: "KNOWLEDGE" as const, created_at },
      });
      const candidate = { ...memoryOf(older, 1_000), evidence: { emb, sem: 0.3 } };
      const [features] = replacingFeatures(memoryOf(newer, 60_000), [candidate], true);
      return probabilityOf(features!, REPLACING_WEIGHTS.embedded);
    };
    fc.assert(
      fc.property(amounts, ([older, n, newer, when]) => {
        expect(probabilityWith(0.35, older(n), `${newer}${when}`)).toBeLessThan(MIN_POSSIBLE);
      }),
      runs(60),
    );
    const raised = "The rent of our flat is 950 euros a month now.";
    const rent = "The rent of our flat is 900 euros a month.";
    expect(probabilityWith(0.9, rent, raised)).toBeGreaterThan(MIN_LIKELY);
  });

  test("does not let a question replace anything, with a mark at its end or without one", () => {
    const asked = fc.tuple(
      fc.constantFrom("the rent", "my visa", "our dentist", "the parcel", "the gate"),
      fc.constantFrom(
        (it: string) => `I was wondering about ${it}`,
        (it: string) => `how much is ${it} now`,
        (it: string) => `can you change ${it} to 1234`,
        (it: string) => `is it true that ${it} is as it was`,
        (it: string) => `ok, when can I see ${it}`,
        (it: string) => `I want to know when ${it} changed`,
        (it: string) => `what is ${it} now?`,
        (it: string) => `kannst du mir sagen, wie ${it} jetzt ist`,
        (it: string) => `quiero saber cómo está ${it} ahora`,
      ),
    );
    const value = fc.integer({ min: 1, max: 999 });
    fc.assert(
      fc.property(asked, value, value, ([it, textOf], one, other) => {
        const texts = [`${it} is ${one} now`, textOf(it), `${it} is ${other} from now on`];
        const { memory, found } = guessesOf(texts);
        expect(found[1]).toEqual([]);
        const ids = new Set(found.flat().map(({ id }) => id));
        for (const id of ids) expect(memory.row(id)?.content_title).not.toBe(textOf(it));
      }),
      runs(60),
    );
  });

  test("follows notes without a subject, and how the agent should act: they do not ask", () => {
    for (const [older, newer] of [
      ["Lives in a flat in Graz", "Lives in a house in Salzburg now"],
      ["Is a vegetarian", "Is a vegan now, no longer a vegetarian"],
      ["Has a cat named Miso", "Has no cat any more, Miso was given away"],
      ["Give me short answers", "From now on give me long answers"],
      ["Does yoga on Mondays", "Does yoga on Fridays now"],
    ] as const)
      expect(guessesOf([older, newer]).found[1], newer).not.toEqual([]);
  });

  test("hardly marks talk and what happened, over pairs that are held out", () => {
    const held = CHANGES.standing!.filter((pair) => pair.held);
    const likely = held.filter(({ older, newer }) =>
      guessesOf([older, newer]).found[1]!.some(({ grade }) => grade === "likely"),
    );
    expect(held.length).toBeGreaterThan(100);
    expect(likely.length).toBeLessThanOrEqual(0.05 * held.length);
  });

  test("follows where someone lives and works, told with other words", () => {
    const place = fc.uniqueArray(
      fc.constantFrom("Graz", "Oslo", "New York", "New Orleans", "Malmö"),
      {
        ...{ minLength: 2, maxLength: 2 },
      },
    );
    const told = fc.constantFrom(
      ...[
        ["I live in $A.", "I moved to $B in May.", "My sister moved to $B in May."],
        ["I'm living in $A", "I've just moved to $B", "I've been to $B twice"],
        ["Mira lives in $A.", "Last month Mira relocated to $B.", "Last month I relocated to $B."],
        ["Ich wohne in $A.", "Ich bin im Mai nach $B umgezogen.", "Tom ist nach $B umgezogen."],
        ["I work at $A.", "I started at $B last week.", "I started chess last week."],
        ["Tom works as a nurse at $A", "Tom joined $B in May", "Tom visited $B in May"],
        ["Ich arbeite bei $A", "Ich habe bei $B angefangen", "Ich habe mit $B angefangen"],
      ].map(([older, newer, other]) => ({ older, newer, other }) as Record<string, string>),
    );
    fc.assert(
      fc.property(place, told, ([one, two], { older, newer, other }) => {
        const fill = (text: string) => text.replace("$A", one!).replace("$B", two!);
        const to = (text: string) => guessesOf([fill(older!), fill(text)]).found[1]!;
        expect(to(newer!)).toMatchObject([{ grade: "likely" }]);
        expect(to(other!).filter(({ grade }) => grade === "likely")).toEqual([]);
      }),
      runs(20),
    );
  });

  test("tells the value that a statement replaces, and not what both say of two persons", () => {
    const name = fc.constantFrom("Zsofia", "Anneke", "Paulo", "Dmitri");
    const city = fc.constantFrom("Graz", "Turin", "Leeds", "Ghent");
    const two = <T>(one: fc.Arbitrary<T>) => fc.uniqueArray(one, { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(two(name), two(city), ([one, other], [before, now]) => {
        const change = guessesOf([`${one} lives in ${before}.`, `${one} lives in ${now} now.`]);
        expect(change.found[1]).toMatchObject([{ grade: "likely" }]);
        expect(change.found[1]![0]!.probability).toBeGreaterThanOrEqual(MIN_LIKELY);
        const both = guessesOf([`${one} lives in ${before}.`, `${other} lives in ${now}.`]);
        expect(both.found[1]!.filter(({ grade }) => grade === "likely")).toEqual([]);
      }),
      runs(20),
    );
  });

  test("says the same whatever other memories are there, in any order", () => {
    const others = [
      "The tent is in the attic.",
      "Branca bakes bread.",
      "Coffee is in the freezer.",
    ];
    const pairs = CHANGES.plain!.filter(({ replaces }) => replaces).slice(0, 8);
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        fc.shuffledSubarray(others),
        ({ older, newer }, some) => {
          const [alone, among] = [
            [older, newer],
            [...some, older, newer],
          ].map((texts) => guessesOf(texts).found.at(-1)!);
          const gradeOf = (found: typeof alone) =>
            found!.find(({ title }) => title === older)?.grade;
          expect(gradeOf(among)).toBe(gradeOf(alone));
        },
      ),
      runs(20),
    );
  });

  test("is never surer because other memories are as near, and less sure the more there are", () => {
    const memoryOf = (title: string, created_at: number) => ({
      ...{ title, text: "", subtype: "fact", section: "KNOWLEDGE" as const, created_at },
    });
    const pairs = CHANGES.plain!.filter(({ replaces }) => replaces);
    const cosine = fc.float({ min: Math.fround(-0.2), max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        cosine,
        fc.array(fc.tuple(fc.constantFrom(...pairs), cosine), { maxLength: 12 }),
        ({ older, newer }, emb, others) => {
          const candidates = [
            [older, emb] as const,
            ...others.map(([it, emb]) => [it.older, emb] as const),
          ].map(([title, emb]) => ({ ...memoryOf(title, 0), evidence: { emb, sem: emb / 2 } }));
          const first = (some: typeof candidates, isEmbedded = true) => {
            const [features] = replacingFeatures(memoryOf(newer, 60_000), some, isEmbedded);
            return probabilityOf(features!, REPLACING_WEIGHTS[isEmbedded ? "embedded" : "plain"]);
          };
          let before = first(candidates.slice(0, 1));
          for (let count = 2; count <= candidates.length; count += 1) {
            const now = first(candidates.slice(0, count));
            expect(now).toBeLessThanOrEqual(before);
            before = now;
          }
          // One that is replaced already says nothing.
          const replaced = candidates.map((one, place) => ({ ...one, isReplaced: place > 0 }));
          expect(first(replaced)).toBe(first(candidates.slice(0, 1)));
          // Word vectors are too coarse to count by.
          expect(first(candidates, false)).toBe(first(candidates.slice(0, 1), false));
        },
      ),
      runs(60),
    );
  });

  test("does not take a confirmation for a change", () => {
    const fact = fc.constantFrom(
      ["Vesna works at the mill", "Vesna", "at the mill"],
      ["The archive is in Delft", "The archive", "in Delft"],
      ["The choir meets on Mondays", "The choir", "on Mondays"],
      ["The fee is 12 euros", "The fee", "12 euros"],
    );
    const said = fc.constantFrom(
      (what: string, how: string) => [`${what} is ${how}`, `${what} is still ${how}`],
      (what: string, how: string) => [`${what} is ${how}`, `${what} remains ${how}`],
      (what: string, how: string) => [`${what}: ${how}`, `${what}: ${how}, as before`],
      (what: string, how: string) => [`${what} is ${how}`, `Confirmed: ${what} is ${how}`],
    );
    const denied = fc.constantFrom("nothing has changed", "it has not moved", "nobody has left");
    const memoryOf = (title: string, created_at: number) => ({
      ...{ title: `${title}.`, text: "", subtype: "fact", section: "KNOWLEDGE" as const },
      created_at,
    });
    // By the embeddings of the transformer such pairs are as near as can be.
    const probabilityOfBoth = (older: string, newer: string) => {
      const evidence = { emb: 0.9, sem: 0.6, p_softcov: 0.6 };
      const candidate = { ...memoryOf(older, 1_000), evidence };
      const [features] = replacingFeatures(memoryOf(newer, 60_000), [candidate], true);
      if (features === undefined) return 0;
      return probabilityOf(features, REPLACING_WEIGHTS.embedded);
    };
    const odds = (probability: number) => probability / (1 - probability);
    fc.assert(
      fc.property(fact, said, denied, ([older, what, how], sayBoth, denial) => {
        const [plain, confirmed] = sayBoth(what!, how!).map((newer) => `They say ${newer}`);
        const surest = odds(probabilityOfBoth(older!, confirmed!));
        expect(surest).toBeLessThan(odds(probabilityOfBoth(older!, plain!)) / 3);
        expect(probabilityOfBoth(older!, `${denial}: ${what} ${how}`)).toBeLessThan(MIN_LIKELY);
      }),
      runs(40),
    );
    const [fee, now] = ["The fee is 12 euros", "The fee has changed: it is 15 euros"];
    expect(probabilityOfBoth(fee, now)).toBeGreaterThan(MIN_LIKELY);
  });

  test("lets nothing replace by what confirms it in its words, and by hearsay", () => {
    const fact = fc.constantFrom(
      ["The gate is", "green"],
      ["Ombra Ltd pays", "40 euros an hour"],
      ["Our test runner is", "vitest"],
      ["Der Chef der Werft ist", "Herr Quast"],
    );
    const confirmed = fc.constantFrom(
      (what: string, how: string) => `Confirmed: ${what} ${how}`,
      (what: string, how: string) => `As before ${what.toLowerCase()} ${how}`,
      (what: string, how: string) => `Wie immer: ${what} ${how}`,
    );
    const doubtful = fc.constantFrom(
      (what: string, how: string) => `Unverified: ${what} no longer ${how}`,
      (what: string) => `There are rumours that ${what} something else since Monday`,
      (what: string) => `Angeblich: ${what} jetzt anders`,
    );
    const memoryOf = (title: string) => ({
      ...{ title, text: "", subtype: "fact", section: "KNOWLEDGE" as const, created_at: 0 },
    });
    const evidence = { emb: 0.97, sem: 0.9, p_softcov: 1, p_soft: 1 };
    const featuresOf = (older: string, newer: string) =>
      replacingFeatures(memoryOf(newer), [{ ...memoryOf(older), evidence }], true)[0];
    fc.assert(
      fc.property(fact, confirmed, doubtful, ([what, how], confirm, doubt) => {
        const older = `${what} ${how}`;
        expect(featuresOf(older, confirm(what!, how!))).toBeUndefined();
        expect(featuresOf(older, doubt(what!, how!))).toBeUndefined();
        expect(featuresOf(older, `${what} something else now`)).toBeDefined();
        expect(featuresOf(older, `${what} unverified now`)).toBeDefined();
      }),
      runs(40),
    );
    // What is confirmed is another value.
    for (const [older, newer] of [
      ["The fee is 12 euros", "Confirmed: the fee is 15 euros"],
      ["Standup is at nine", "Reminder: standup is at ten"],
      ["The office is in Graz", "The office stays in Linz"],
      ["The pool is open", "Reminder: the pool is closed"],
      ["The gate is green", "The gate stays red"],
    ] as const)
      expect(featuresOf(older, newer), newer).toBeDefined();
  });

  test("finds plain changes, and hardly marks what stands: over pairs that are held out", () => {
    const share = (replaces: boolean) => {
      const pairs = CHANGES.plain!.filter((pair) => pair.held && pair.replaces === replaces);
      const likely = pairs.filter(({ older, newer }) =>
        guessesOf([older, newer]).found[1]!.some(({ grade }) => grade === "likely"),
      );
      return likely.length / pairs.length;
    };
    expect(share(true)).toBeGreaterThanOrEqual(0.8);
    expect(share(false)).toBeLessThanOrEqual(0.08);
  });

  test("proposes more after confirmed guesses, fewer after rejected ones, within a bound", () => {
    expect(learnedOffset(0, 0)).toBe(0);
    expect(learnedOffset(3, 0)).toBeGreaterThan(0);
    expect(learnedOffset(0, 3)).toBeLessThan(learnedOffset(0, 1));
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), (right, wrong) => {
        expect(Math.abs(learnedOffset(right, wrong))).toBeLessThanOrEqual(1);
      }),
      runs(),
    );
    const { memory } = guessesOf(["Standup is at ten.", "Standup has moved to nine."]);
    const { rows, store } = comparedIn(memory);
    const [plain, more, less] = [0, 1, -1].map(
      (offset) => possiblyReplacedBy(rows[1]!, store, { offset })[0]?.probability ?? 0,
    );
    expect(more).toBeGreaterThan(plain!);
    expect(less).toBeLessThan(plain!);
  });

  test("believes a reading of both statements the more, the more it says, of at most six", () => {
    const values = ["ten", "nine", "half past eight", "noon", "one", "two", "three", "four"];
    const texts = values.map((value) => `Standup of the ${value} team is at ${value}.`);
    const { memory } = guessesOf([...texts, "The daily is at seven now."]);
    const { rows, store } = comparedIn(memory);
    const comparison = comparisonOf(rows.at(-1)!, store);
    expect(comparison.pairs.length).toBeGreaterThan(0);
    expect(comparison.pairs.length).toBeLessThanOrEqual(6);
    for (const { older, newer } of comparison.pairs) {
      expect(texts).toContain(older);
      expect(newer).toBe("The daily is at seven now.");
    }
    const first = rows.find(({ content_title }) => content_title === comparison.pairs[0]!.older)!;
    const probabilityWith = (reading: number) => {
      const readings = comparison.pairs.map((_, pair) => (pair === 0 ? reading : -9));
      const found = comparison.guesses(readings).find(({ id }) => id === first.id);
      return found?.probability ?? 0;
    };
    fc.assert(
      fc.property(
        fc.double({ min: -8, max: 8, noNaN: true }),
        fc.double({ min: 0.1, max: 4, noNaN: true }),
        (reading, more) => {
          const [lower, higher] = [probabilityWith(reading), probabilityWith(reading + more)];
          expect(higher).toBeGreaterThanOrEqual(lower);
        },
      ),
      runs(60),
    );
    // Another one that is surely replaced makes this one clearly less likely.
    const beside = (other: number) => {
      const readings = comparison.pairs.map((_, pair) => [2, other][pair] ?? -9);
      return comparison.guesses(readings).find(({ id }) => id === first.id)?.probability ?? 0;
    };
    expect(comparison.pairs.length).toBeGreaterThan(1);
    expect(beside(8)).toBeLessThan(beside(-8) - 0.1);
    const oneOf = fc.double({ min: -8, max: 8, noNaN: true });
    fc.assert(
      fc.property(fc.array(oneOf, { minLength: 6, maxLength: 6 }), oneOf, (others, more) => {
        const readings = comparison.pairs.map((_, pair) => others[pair]!);
        const [before, after] = [readings, readings.with(1, Math.max(readings[1]!, more))].map(
          (its) => comparison.guesses(its).find(({ id }) => id === first.id)?.probability ?? 0,
        );
        // The more another one seems to be replaced, the less this one is.
        expect(after).toBeLessThanOrEqual(before!);
      }),
      runs(60),
    );
    expect(probabilityWith(-8)).toBeLessThan(MIN_POSSIBLE);
    expect(probabilityWith(8)).toBeGreaterThan(probabilityWith(-8));
    // Without readings the words decide, as before.
    expect(comparison.guesses()).toEqual(possiblyReplacedBy(rows.at(-1)!, store));
  });

  test("reads two short sentences, and no longer memories, no turns, and nothing that asks", () => {
    const long = "The harbour office keeps a list of all boats, and of their owners. ".repeat(6);
    const { memory } = guessesOf([
      ...["The gate is green.", long.trim(), `${long}The gate is red now.`],
      ...["Is the gate green or red?", "We painted the gate. It is red now."],
    ]);
    const { rows, store } = comparedIn(memory);
    const pairsOf = (row: (typeof rows)[number]) => comparisonOf(row, store).pairs;
    for (const row of rows.slice(1, -1)) expect(pairsOf(row)).toEqual([]);
    const newer = "We painted the gate. It is red now.";
    expect(pairsOf(rows.at(-1)!)).toContainEqual({ older: "The gate is green.", newer });
    const turn = {
      ...rows[0]!,
      id: "turn",
      subtype: "custom:turn",
      content_title: "It is red now.",
    };
    expect(pairsOf({ ...turn, created_at: rows.at(-1)!.created_at })).toEqual([]);
  });

  test("marks a likely one by an edge in this process, once", () => {
    const { memory, found } = guessesOf([
      "We use Jira for tickets.",
      "We use Linear for tickets now.",
    ]);
    const [{ id, probability }] = found[1] as [(typeof found)[0][0]];
    expect([...memory.edges()]).toMatchObject([
      { type: "likely_supersedes", target_id: id, strength: probability },
    ]);
  });
});

const OLD = "Standup is at half past nine.";
const NEW = "Standup has moved to ten.";

async function guessed({ ask }: Client, [older, newer]: [string, string] = [OLD, NEW]) {
  const remember = async (text: string) => {
    const { status, body } = await ask("POST /remember", { text });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.stored[0];
  };
  return { old: await remember(older), fresh: await remember(newer) };
}

const likelyOf = async ({ ask }: Client, id: string) =>
  (await ask(`GET /edges?node_id=${id}&direction=both`)).body.data.filter(
    ({ type }: { type: string }) => type === "likely_supersedes",
  );
const pendingOf = async ({ ask }: Client) => (await ask("GET /contradiction/queue")).body.data;

describe("a server", () => {
  test("tells at the write what a new memory likely replaces, links and queues it", async () => {
    const own = client();
    const { old, fresh } = await guessed(own);
    expect(fresh.replaces).toMatchObject([{ id: old.id, title: OLD, grade: "likely" }]);
    const { probability } = fresh.replaces[0];
    expect(await likelyOf(own, old.id)).toMatchObject([
      { source_id: fresh.id, target_id: old.id, strength: probability, confidence: probability },
    ]);
    expect(await pendingOf(own)).toMatchObject([
      { old_node_id: old.id, new_node_id: fresh.id, detection_tier: "EVIDENCE", grade: "likely" },
    ]);
    const { body } = await own.ask(`GET /nodes/${old.id}`);
    expect(body.state_lifecycle).toBe("ACTIVE");
  });

  test("links what a new memory faintly replaces, and neither tells nor queues it", async () => {
    const own = client();
    const { old, fresh } = await guessed(own, ["Lunch is at noon.", "Lunch break starts at one."]);
    expect(fresh.replaces).toBeUndefined();
    const { data } = (await own.ask(`GET /edges?node_id=${fresh.id}&direction=out`)).body;
    expect(data).toMatchObject([{ type: "faintly_supersedes", target_id: old.id }]);
    expect(data[0].strength).toBeGreaterThan(0.05);
    expect(data[0].strength).toBeLessThan(MIN_POSSIBLE);
    expect(await pendingOf(own)).toEqual([]);
  });

  test("puts what is likely in the place of what was faint", async () => {
    const own = client();
    const nodes = [OLD, NEW].map((content_title, place) => ({
      ...{ kind: "node", id: `n${place}`, type: "concept", content_title },
      created_at: `2026-05-0${place + 1}T08:00:00Z`,
    }));
    const faint = { id: "e", type: "faintly_supersedes", source_id: "n1", target_id: "n0" };
    const rows = [...nodes, { kind: "edge", ...faint, strength: 0.1 }];
    expect((await own.ask("POST /import", { rows })).body).toMatchObject({ added: 3 });
    expect((await own.ask("POST /consolidate", {})).status).toBe(200);
    const { data } = (await own.ask("GET /edges?node_id=n1&direction=out")).body;
    expect(data).toMatchObject([{ type: "likely_supersedes", target_id: "n0" }]);
    expect(await pendingOf(own)).toHaveLength(1);
  });

  test("grades a memory that a marker of a correction found, too", async () => {
    const own = client();
    const texts: [string, string] = [
      "Backups run on heron.",
      "Backups no longer run on heron, now it's egret.",
    ];
    const { old, fresh } = await guessed(own, texts);
    expect(fresh.replaces).toMatchObject([{ id: old.id, grade: "likely" }]);
    expect(await pendingOf(own)).toHaveLength(1);
    expect(await likelyOf(own, old.id)).toHaveLength(1);
  });

  test.each([
    ["new_is_current", "supersedes", "DORMANT"],
    ["keep_both", "relates_to", "ACTIVE"],
  ])("takes %s for the two memories in one call", async (resolution, type, state) => {
    const own = client();
    const { old, fresh } = await guessed(own);
    const pair = { old_node_id: old.id, new_node_id: fresh.id };
    const { status, body } = await own.ask("POST /contradiction/resolve", { ...pair, resolution });
    expect({ status, body }).toMatchObject({ status: 200, body: { ...pair, resolution } });
    const edges = (await own.ask(`GET /edges?node_id=${old.id}&direction=both`)).body.data;
    expect(edges).toMatchObject([{ type, source_id: fresh.id, target_id: old.id }]);
    expect((await own.ask(`GET /nodes/${old.id}`)).body.state_lifecycle).toBe(state);
    expect(await pendingOf(own)).toEqual([]);
    const again = await own.ask("POST /contradiction/resolve", { ...pair, resolution });
    expect(again.status).toBe(409);
    // The pair is never guessed again.
    await own.ask("POST /consolidate", {});
    expect(await likelyOf(own, old.id)).toEqual([]);
    expect(await pendingOf(own)).toEqual([]);
  });

  test.each(["new_is_current", "old_is_current", "keep_both"])(
    "takes %s back: the guess is as it was, and can be decided anew",
    async (resolution) => {
      const own = client();
      const { old, fresh } = await guessed(own);
      const pair = { old_node_id: old.id, new_node_id: fresh.id };
      const decide = (how: string, named: object = pair) =>
        own.ask("POST /contradiction/resolve", { ...named, resolution: how });
      const shown = async () => {
        const { data } = (await own.ask(`GET /edges?node_id=${old.id}&direction=both`)).body;
        const states = [];
        for (const { id } of [old, fresh])
          states.push((await own.ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle);
        const edges = data.map(({ type, source_id, strength }: Record<string, unknown>) => ({
          ...{ type, source_id, strength },
        }));
        return { edges, states, pending: (await pendingOf(own)).length };
      };
      const before = await shown();
      expect((await decide("undecided")).status).toBe(409);
      const { conflict_id } = (await decide(resolution)).body;
      expect(await shown()).not.toEqual(before);
      const back = await decide("undecided", { conflict_id });
      expect(back).toMatchObject({
        status: 200,
        body: { ok: true, conflict_id, resolution: "undecided", ...pair },
      });
      expect(back.body.actions[0]).toContain("is removed");
      expect(await shown()).toEqual(before);
      expect((await decide("new_is_current")).status).toBe(200);
      expect((await shown()).edges).toMatchObject([{ type: "supersedes", source_id: fresh.id }]);
    },
  );

  test("takes no merge back, nothing that is not decided, and keeps edges that a client made", async () => {
    const own = client();
    const { old, fresh } = await guessed(own);
    const pair = { old_node_id: old.id, new_node_id: fresh.id };
    const decide = (resolution: string, named: object = pair) =>
      own.ask("POST /contradiction/resolve", { ...named, resolution });
    await own.link(fresh.id, old.id, "relates_to");
    await decide("keep_both");
    await decide("undecided");
    const { data } = (await own.ask(`GET /edges?node_id=${old.id}&direction=both`)).body;
    const types = data.map(({ type }: { type: string }) => type).sort();
    expect(types).toEqual(["likely_supersedes", "relates_to"]);
    const third = await own.create({ content_title: "Standup is at noon." });
    await own.link(third.id, old.id, "supersedes");
    await decide("new_is_current");
    await decide("undecided");
    // Another memory still supersedes it.
    expect((await own.ask(`GET /nodes/${old.id}?recall=false`)).body.state_lifecycle).toBe(
      "DORMANT",
    );
    for (const named of [{ conflict_id: "q_none" }, { ...pair, new_node_id: "n_none" }])
      expect((await decide("undecided", named)).status).toBe(404);
    await decide("merge");
    const merged = await decide("undecided");
    expect(merged).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^a merge/) },
    });
  });

  test("follows the last decision, whichever memory it calls the newer one", async () => {
    const own = client();
    const { old, fresh } = await guessed(own);
    const decide = (older: { id: string }, newer: { id: string }, resolution: string) =>
      own.ask("POST /contradiction/resolve", {
        ...{ old_node_id: older.id, new_node_id: newer.id, resolution },
      });
    const shown = async () => {
      const edges = (await own.ask(`GET /edges?node_id=${old.id}&direction=both`)).body.data;
      const states = [];
      for (const { id } of [old, fresh])
        states.push((await own.ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle);
      return { states, edges: edges.map((it: Record<string, unknown>) => [it.type, it.source_id]) };
    };
    await decide(old, fresh, "new_is_current");
    // What held before holds again.
    const { body } = await decide(fresh, old, "new_is_current");
    expect(body.actions).toContain(`${fresh.id} supersedes ${old.id} is removed`);
    const back = { states: ["ACTIVE", "DORMANT"], edges: [["supersedes", old.id]] };
    expect(await shown()).toEqual(back);
    await decide(old, fresh, "undecided");
    await decide(old, fresh, "old_is_current");
    expect((await shown()).states).toEqual(back.states);
    await decide(fresh, old, "undecided");
    await decide(fresh, old, "keep_both");
    expect(await shown()).toEqual({
      ...{ states: ["ACTIVE", "ACTIVE"], edges: [["relates_to", old.id]] },
    });
  });

  test.each(["new_is_current", "old_is_current", "keep_both"])(
    "does not take %s back if one of the memories is deleted",
    async (resolution) => {
      for (const gone of ["old", "fresh"] as const) {
        const own = client();
        const both = await guessed(own);
        const pair = { old_node_id: both.old.id, new_node_id: both.fresh.id };
        const decide = (how: string, named: object = pair) =>
          own.ask("POST /contradiction/resolve", { ...named, resolution: how });
        const { conflict_id } = (await decide(resolution)).body;
        await own.ask(`DELETE /nodes/${both[gone].id}`);
        for (const named of [pair, { conflict_id }])
          expect((await decide("undecided", named)).status).toBe(404);
      }
    },
  );

  test.each(["new_is_current", "old_is_current", "keep_both"])(
    "does not come back with %s if a text was changed since",
    async (resolution) => {
      for (const changed of ["old", "fresh"] as const) {
        const own = client();
        const both = await guessed(own);
        const pair = { old_node_id: both.old.id, new_node_id: both.fresh.id };
        const decide = (how: string) =>
          own.ask("POST /contradiction/resolve", { ...pair, resolution: how });
        await decide(resolution);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await own.ask(`PATCH /nodes/${both[changed].id}`, { content_title: "The cat is Momo." });
        expect((await decide("undecided")).status).toBe(200);
        expect(await likelyOf(own, both.old.id)).toEqual([]);
      }
    },
  );

  test("is less sure after guesses that were rejected, and surer after confirmed ones", async () => {
    const texts: [string, string] = ["Rent is 900 euros.", "Rent has been raised to 950 euros."];
    const others = ["Luna", "Momo", "Otis"].map((name): [string, string] => [
      `${name} eats dry food.`,
      `${name} eats wet food now.`,
    ]);
    const surenessAfter = async (resolution?: string) => {
      const own = client();
      for (const pair of resolution === undefined ? [] : others) {
        const { old, fresh } = await guessed(own, pair);
        const ids = { old_node_id: old.id, new_node_id: fresh.id };
        expect(fresh.replaces[0]).toMatchObject({ id: old.id });
        await own.ask("POST /contradiction/resolve", { ...ids, resolution });
      }
      return (await guessed(own, texts)).fresh.replaces[0].probability;
    };
    const plain = await surenessAfter();
    expect(await surenessAfter("keep_both")).toBeLessThan(plain);
    expect(await surenessAfter("new_is_current")).toBeGreaterThan(plain);
  });

  test("resolves two memories that no guess linked, and refuses half of a pair", async () => {
    const own = client();
    const { id: a } = await own.create({ content_title: "The tent is green" });
    const { id: b } = await own.create({ content_title: "Olive oil is from Evora" });
    const done = await own.ask("POST /contradiction/resolve", {
      ...{ old_node_id: a, new_node_id: b, resolution: "new_is_current" },
    });
    expect(done.status).toBe(200);
    for (const wrong of [{ old_node_id: a }, { old_node_id: a, new_node_id: a }, {}]) {
      const request = { ...wrong, resolution: "keep_both" };
      expect((await own.ask("POST /contradiction/resolve", request)).status).toBe(400);
    }
    const gone = { old_node_id: a, new_node_id: "n_gone", resolution: "keep_both" };
    expect((await own.ask("POST /contradiction/resolve", gone)).status).toBe(404);
  });

  test("drops a guess when a text changes, when it is sure, and with either memory", async () => {
    const own = client();
    const first = await guessed(own);
    await own.ask(`PATCH /nodes/${first.old.id}`, { content_title: "Standup is at eleven." });
    expect(await likelyOf(own, first.old.id)).toEqual([]);
    const texts: [string, string] = ["Rent is 900 euros.", "Rent has been raised to 950 euros."];
    const second = await guessed(own, texts);
    expect(await likelyOf(own, second.old.id)).toHaveLength(1);
    await own.ask("POST /edges", {
      ...{ source_id: second.fresh.id, target_id: second.old.id, type: "supersedes" },
    });
    expect(await likelyOf(own, second.old.id)).toEqual([]);
    const third = await guessed(client(), texts);
    expect(third.fresh.replaces).toHaveLength(1);
  });

  test("keeps guesses over a restart", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const { old, fresh } = await guessed(clientOf(server, "default"));
    await server.end();
    const again = clientOf(await start(folder), "default");
    expect(await likelyOf(again, old.id)).toMatchObject([{ source_id: fresh.id }]);
    expect(await pendingOf(again)).toMatchObject([{ grade: "likely" }]);
  });
});
