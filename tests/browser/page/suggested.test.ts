// Questions to begin with: made of statements by the rules of their language, asked before they are
// offered, and offered after any first memory that states something.

import { readFileSync } from "node:fs";
import { Embedder, init } from "nous-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { Held } from "../../../js/page/src/memory/held.ts";
import { noRows } from "../../../js/page/src/memory/lines.ts";
import { questionsOf } from "../../../js/page/src/memory/questions/questions.ts";
import { remember } from "../../../js/page/src/memory/remember.ts";
import { suggestedOf } from "../../../js/page/src/memory/suggested.ts";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const { visit } = sharedPage();

/** Statements, and the question that is offered after each. */
const STATEMENTS: readonly [statement: string, question: string][] = [
  ["I live in Graz.", "Where do I live?"],
  ["Mira prefers tea.", "What does Mira prefer?"],
  ["Omar works at Nordwind.", "Where does Omar work?"],
  ["We deploy on Tuesdays.", "When do we deploy?"],
  ["Dr. Weber is our family doctor.", "Who is our family doctor?"],
  ["The key is in the drawer.", "Where is the key?"],
  ["The gym costs 35 euros.", "What does the gym cost?"],
  ["Mira’s birthday is 4 May.", "When is Mira’s birthday?"],
  ["My sister is coming on Friday.", "When is my sister coming?"],
  ["My sister's dog Bruno is allergic to chicken", "What is my sister's dog Bruno allergic to?"],
  ["The Wi-Fi password at the cabin is tannenzapfen", "What is the Wi-Fi password at the cabin?"],
  ["Theo's key worker at Seaview is Sophie Laurent.", "Who is Theo's key worker at Seaview?"],
  ["Remember that Leo's recital starts at six", "When does Leo's recital start?"],
  ["Standup is at 9:30", "When is standup?"],
  ["I'm learning Portuguese because I moved", "What am I learning?"],
  ["Mum turned seventy last week.", "Who turned seventy last week?"],
  ["There's a spare key under the blue flowerpot.", "What is under the blue flowerpot?"],
  ["The build is red.", "What do I know about the build?"],
  ["Never book the Astoria again, the rooms are damp.", "What do I know about the Astoria?"],
  ["I constructed the old shed.", "What do I know about the old shed?"],
  ["can't stand cilantro", "What do I know about “cilantro”?"],
  ["After the contract the auditors are content", "What do I know about the contract?"],
  ["Luis split the tests among four machines", "What do I know about the tests?"],
  ["Jana has given up decaf, too", "What do I know about Jana?"],
  ["Berlin is the capital of Germany", "What do I know about Germany?"],
  ["Meine Oma wohnt in Bamberg.", "Wo wohnt meine Oma?"],
  ["Der Zahnarzttermin ist am 12. März um 10 Uhr", "Wann ist der Zahnarzttermin?"],
  ["Ich arbeite seit 2015 bei Siemens", "Seit wann arbeite ich bei Siemens?"],
  ["Ich vertrage keine Laktose.", "Was vertrage ich nicht?"],
  ["Wir treffen uns jeden Mittwoch im Heim.", "Wann treffen wir uns im Heim?"],
  ["Der Vertrag mit Vodafone läuft im August aus.", "Wann läuft der Vertrag mit Vodafone aus?"],
  ["Das WLAN-Passwort lautet Sonnenblume", "Wie lautet das WLAN-Passwort?"],
  ["Am liebsten esse ich Kässpätzle.", "Was esse ich am liebsten?"],
  ["Mama denkt über eine Wohnung nach.", "Wer denkt über eine Wohnung nach?"],
  ["Die Heizung ist kaputt", "Was weiß ich über „Heizung“?"],
  ["Bitte keine Anrufe nach 20 Uhr", "Was weiß ich über „Anrufe“?"],
  ["Vivo en Salamanca desde 2019.", "¿Dónde vivo?"],
  ["Mi hermano Javier es alérgico a las nueces.", "¿A qué es alérgico mi hermano Javier?"],
  ["La reunión con el banco es el martes", "¿Cuándo es la reunión con el banco?"],
  ["El código de la alarma es 4821", "¿Cuál es el código de la alarma?"],
  ["No me gusta el café con azúcar.", "¿Qué no me gusta?"],
  ["La impresora está rota", "¿Qué sé sobre la impresora?"],
  ["El concierto se canceló porque llovió.", "¿Qué sé sobre el concierto?"],
];

describe("a question of a statement", () => {
  it.each([
    "",
    "constructor",
    "Dark mode",
    "Where do I live?",
    "¿Dónde vivo?",
    "# Notes of the meeting",
    "const answer = ask(question);",
    "https://example.com/a/b",
    "Il faut arroser les orchidées une fois par semaine.",
  ])("is none of “%s”, which states nothing that the rules read", (text) => {
    expect(questionsOf(text)).toEqual({ telling: [], general: [] });
  });
});

describe("suggested questions", () => {
  let words: Embedder;
  beforeAll(async () => {
    await init();
    const table = new URL("../../../js/embedder/tables/nous-128.bin", import.meta.url);
    words = new Embedder(readFileSync(table));
  });
  const holding = async (...texts: string[]) => {
    const opening = { name: "", now: null, config: {}, wrong: [], wrongCount: 0 };
    const source = "new" as const;
    const held = await Held.open({ ...opening, source, rows: noRows(), words }, () => {});
    for (const text of texts) await remember(held, text);
    return held;
  };
  const firstOf = (held: Held, question: string) =>
    held.row(held.index.ask(question, { ...held.asking(question), limit: 1 })[0]!.id)!;

  it.each(STATEMENTS)("after “%s” alone are: %s", async (statement, question) => {
    const held = await holding(statement);
    expect(await suggestedOf(held)).toEqual([question]);
    held.free();
  });

  it("are answered first by the memory that they were made of, whatever else is stored", async () => {
    const held = await holding(...STATEMENTS.map(([statement]) => statement));
    const questions = await suggestedOf(held);
    expect(questions).toHaveLength(5);
    expect(new Set(questions.map((question) => firstOf(held, question).id)).size).toBe(5);
    for (const question of questions) {
      const { telling, general } = questionsOf(firstOf(held, question).content_title);
      expect([...telling, ...general]).toContain(question);
    }
    held.free();
  });

  it("are none that another memory answers first, or that nothing answers", async () => {
    const held = await holding("Bruno is our dog.", "Yesterday we all went with Bruno to the lake");
    const [, made] = [...held.all()].map((row) => questionsOf(row.content_title).general);
    expect(made![0]).toBe("What do I know about Bruno?");
    expect(await suggestedOf(held)).toEqual([
      "What do I know about the lake?",
      "What do I know about our dog?",
    ]);
    held.free();
  });

  it("are also those that another memory of the same words answers first", async () => {
    const held = await holding("I live in Graz.");
    const [row] = held.all();
    held.put([{ ...row!, id: "same", sequence: row!.sequence + 1 }]);
    const question = "Where do I live?";
    expect(firstOf(held, question).id).toBe(row!.id);
    expect(await suggestedOf(held)).toEqual([question]);
    held.free();
  });

  it("ask what memories tell before they ask what is known of something", async () => {
    const held = await holding("I live in Graz.", "The build is red.", "Mira prefers tea.");
    expect(await suggestedOf(held)).toEqual([
      "What does Mira prefer?",
      "Where do I live?",
      "What do I know about the build?",
    ]);
    held.free();
  });

  it("are asked as they will be: by meaning, where answers go by it", async () => {
    const held = await holding("The build is red.");
    const heard: string[] = [];
    held.mean(async (text) => {
      heard.push(text);
      return null;
    });
    const questions = await suggestedOf(held);
    expect(heard).toEqual(questions);
    held.free();
  });

  /** Lets a memory of few pass for one of so many, of which a question takes long. */
  const passFor = (held: Held, count: number): Held => {
    Object.defineProperty(held.rows.nodes, "size", { value: count });
    return held;
  };

  it("are found in a large memory, and stay while it changes", async () => {
    const texts = STATEMENTS.map(([statement]) => statement);
    const small = await holding(...texts);
    const questions = await suggestedOf(small);
    const large = passFor(await holding(...texts), 100_000);
    expect(await suggestedOf(large)).toEqual(questions);
    await remember(large, "Hello there");
    expect(await suggestedOf(large)).toEqual(questions);
    large.remove([firstOf(large, questions[0]!).id]);
    const [, ...others] = questions;
    expect((await suggestedOf(large)).filter((one) => questions.includes(one))).toEqual(others);
    small.free();
    large.free();
  });

  it("are none of a memory that was closed meanwhile", async () => {
    const held = await holding("I live in Graz.");
    held.mean(async () => {
      held.free();
      return null;
    });
    expect(await suggestedOf(held)).toEqual([]);
  });
});

describe("the page", () => {
  it.each([
    ["My sister's dog Bruno is allergic to chicken", "What is my sister's dog Bruno allergic to?"],
    ["Die Heizung ist kaputt", "Was weiß ich über „Heizung“?"],
    ["The build is red.", "What do I know about the build?"],
    ["Compramos un coche eléctrico en mayo.", "¿Qué compramos?"],
  ])("offers a question after the first memory, “%s”", async (statement, question) => {
    const { page, complaints, close } = await visit("ask");
    await page.getByLabel("Memory", { exact: true }).selectOption("new");
    await page.getByRole("heading", { name: "Nothing is stored yet" }).waitFor();
    const box = page.getByLabel("What should be remembered?");
    await box.fill(statement);
    await box.press("ControlOrMeta+Enter");
    await page.getByRole("button", { name: question }).click();
    await page.locator(".verdict").getByText("Found in").waitFor();
    expect(await page.locator(".answer").first().innerText()).toContain(statement);
    // What asks is no word that counts.
    const counted = page.locator("main").getByText("Words that count").locator("..");
    expect(await counted.innerText()).not.toMatch(/weiß|über|know|about/);
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
