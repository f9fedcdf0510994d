// Whether a memory knows the answer to a question.

import fc from "fast-check";
import {
  isOtherLanguage,
  knowsOf,
  MAX_JUDGED,
  Memory,
  probabilityKnown,
  promptOfTurn,
  remember,
  TRANSFORMER,
} from "nous-memory";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, it } from "vitest";
import { runs } from "../support/amount.ts";

const QUESTION = "Which beverage does Mira like?";
const MEMORY = { among: 60, isByEnglish: true };

const answer = (score: number, emb?: number, text = "Mira prefers tea.") => ({
  ...{ score, text },
  ...(emb === undefined ? {} : { evidence: { emb } }),
});
const known = (answers: readonly ReturnType<typeof answer>[], question = QUESTION) =>
  knowsOf(probabilityKnown(question, answers, MEMORY));

describe("whether a memory knows an answer", () => {
  it("is told by how near the nearest memory is, as well as by how likely the best one is", () => {
    expect(known([answer(0.12, 0.65)])).toBe("yes");
    expect(known([answer(0.12)])).toBe("perhaps");
    // A word is shared, and nothing else.
    expect(known([answer(0.24, 0.12)])).not.toBe("yes");
    expect(known([answer(0.24)])).toBe("yes");
    expect(known([answer(0.01, 0.1)])).toBe("no");
    expect(known([])).toBe("no");
  });

  it("reads the first ten memories, whichever of them is nearest", () => {
    const far = Array.from({ length: MAX_JUDGED - 1 }, () => answer(0.12, 0.1));
    expect(known([...far, answer(0.1, 0.65)])).toBe("yes");
    expect(known([...far, answer(0.12, 0.1), answer(0.1, 0.65)])).not.toBe("yes");
  });

  it("is not told by a memory that only asks", () => {
    expect(known([answer(0.9, 0.9, "What does Mira like to drink?")])).toBe("no");
    expect(known([answer(0.9, 0.9, "What does Mira drink? She prefers tea.")])).toBe("yes");
  });

  it("is told by questions where the memory is a list of them", () => {
    const questions = (count: number) =>
      Array.from({ length: count }, () => answer(0.5, 0.7, "What does Mira like to drink?"));
    expect(known([...questions(5), ...Array(5).fill(answer(0.01, 0.1))])).toBe("yes");
    expect(known([...questions(4), ...Array(6).fill(answer(0.01, 0.1))])).toBe("no");
  });

  it("is not told by cosines of an index that names another model", () => {
    const probabilityOf = (embeddingId: string) => {
      const memory = new Memory();
      remember(memory, { text: "Mira prefers tea.", created_at: "2026-01-01T10:00:00Z" });
      const [row] = [...memory.all()];
      const index = new MemoryIndex({ dimensions: 2, embeddingId });
      index.upsert([{ id: row!.id, text: "Mira prefers tea.", embedding: [1, 0] }]);
      const embeddingOf = () => [0.6, 0.8];
      const own = { engine: memory.engine, preset: memory.preset, now: memory.now, index };
      const rows = { row: (id: string) => memory.row(id), all: () => memory.all() };
      const { probability, hits } = promptOfTurn(
        { ...own, ...rows, embeddingOf },
        { input: QUESTION },
      );
      index.free();
      return { probability, best: hits[0]!.score };
    };
    const other = probabilityOf("e5-384");
    expect(other.probability).toBe(other.best);
    for (const name of ["", TRANSFORMER.name]) {
      const { probability, best } = probabilityOf(name);
      expect(probability).not.toBe(best);
    }
  });

  it("is told by the best memory alone where the cosines are of no English question", () => {
    const answers = [answer(0.12, 0.9)];
    for (const question of ["Was trinkt Mira gerne?", "¿Qué bebe Mira?", "ミラの好きな飲み物は?"])
      expect(probabilityKnown(question, answers, MEMORY)).toBe(0.12);
    const foreign = { ...MEMORY, isByEnglish: false };
    expect(probabilityKnown(QUESTION, answers, foreign)).toBe(0.12);
  });

  it("is likelier with a likelier best memory, a nearer one and fewer others", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const cosine = fc.double({ min: -1, max: 1, noNaN: true });
    const count = fc.integer({ min: 1, max: 1_000_000 });
    const at = (score: number, emb: number, among: number) =>
      probabilityKnown(QUESTION, [answer(score, emb)], { ...MEMORY, among });
    fc.assert(
      fc.property(share, share, cosine, cosine, count, count, (a, b, c, d, e, f) => {
        const [least, most] = [Math.min(a, b), Math.max(a, b)];
        const [far, near] = [Math.min(c, d), Math.max(c, d)];
        const [few, many] = [Math.min(e, f), Math.max(e, f)];
        const lower = at(least, far, many);
        expect(lower).toBeGreaterThanOrEqual(0);
        expect(at(most, near, few)).toBeLessThanOrEqual(1);
        expect(at(most, far, many)).toBeGreaterThanOrEqual(lower);
        expect(at(least, near, many)).toBeGreaterThanOrEqual(lower);
        expect(at(least, far, few)).toBeGreaterThanOrEqual(lower);
      }),
      runs(300),
    );
  });
});

describe("the language of a question", () => {
  it.each([
    ...["Wo wohne ich?", "Wie alt ist Anke?", "Wem gehört das Rad?", "¿Cuándo es la cita?"],
    ...["Où habite Mira ?", "Quand arrive Paul ?", "Dove abita Mira? Non lo so, che dici?"],
    ...["今日の予定は?", "Где ключ?", "Waar ligt de sleutel?"],
  ])("of “%s” is another one", (question) => {
    expect(isOtherLanguage(question)).toBe(true);
  });

  it.each([
    ...["Where do I live?", "What’s the café’s Wi-Fi?", "Who is André?", "How old is Zoë"],
    ...["How did the naïve plan of Señor Ortiz end?", "When's the São Paulo trip?"],
    ...["rent", "Node 20.11", "EST or UTC?", "Mon 9:30 standup"],
  ])("of “%s” is none that is known to be another one", (question) => {
    expect(isOtherLanguage(question)).not.toBe(true);
  });
});
