// Which words memories are found by: words of one character, folded characters, words without their
// clitics, parts of words, pictures, and identifiers, of which the exact one is first among near
// copies.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import { runs } from "../support/amount.ts";

const OTHERS = [
  "The kettle is new.",
  "Nora repairs the boat in spring.",
  "Die Lampe steht im Flur.",
  "昨日は雨でした。",
  "明天去爬山。",
  "오늘 날씨가 좋다.",
];

/** Returns the texts of a memory that answer a question, best first. */
function answers(texts: readonly string[], question: string): string[] {
  using index = new MemoryIndex();
  index.upsert(
    texts.map((text, place) => ({ id: String(place), text, created_at: NOW - place })),
    { now: NOW },
  );
  return index.ask(question, { now: NOW }).map(({ id }) => texts[Number(id)]!);
}

/** By kind: texts, and questions that they answer. The native engine reads them, too. */
const FILE = new URL("../golden/words.json", import.meta.url);
const FOUND = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, [string, string][]>;

describe.each(Object.entries(FOUND))("%s", (_kind, pairs) => {
  test.each(pairs)("%s answers %s", (text, question) => {
    expect(answers([...OTHERS, text], question)[0]).toBe(text);
  });
});

const digits = fc.integer({ min: 0, max: 30 }).map(String);
const name = fc.constantFrom(
  ..."ada ben cleo conf data etc home log mail srv token user web".split(" "),
);
const joinedBy = (part: fc.Arbitrary<string>, marks: string, min: number, max: number) =>
  fc
    .tuple(fc.uniqueArray(part, { minLength: min, maxLength: max }), fc.constantFrom(...marks))
    .map(([parts, mark]) => ({ parts, mark }));

interface Identifier {
  before: string;
  parts: string[];
  mark: string;
  after: string;
}
const written = ({ before, parts, mark, after }: Identifier) => before + parts.join(mark) + after;
const identifier: fc.Arbitrary<Identifier> = fc.oneof(
  joinedBy(digits, ".", 2, 4).map((one) => ({ ...one, before: "", after: "" })),
  joinedBy(digits, ".", 3, 3).map((one) => ({ ...one, before: "v", after: "" })),
  joinedBy(name, "/", 2, 4).map((one) => ({ ...one, before: "/", after: "" })),
  joinedBy(name, "._@:", 2, 3).map((one) => ({ ...one, before: "", after: "" })),
  joinedBy(name, ".", 2, 2).map((one) => ({ ...one, before: "", after: "@mail.example" })),
  joinedBy(digits, ":", 4, 6).map((one) => ({ ...one, before: "", after: "" })),
  // Dates: they may be read as times, and are found as they are written.
  fc
    .tuple(fc.integer({ min: 10, max: 28 }), fc.integer({ min: 10, max: 12 }))
    .chain(([day, month]) =>
      fc.constantFrom(
        { parts: [day, month, 2020], mark: "." },
        { parts: [day, month, 20], mark: "." },
        { parts: [day, month, 2020], mark: "/" },
        { parts: [2020, month, day], mark: "-" },
      ),
    )
    .map(({ parts, mark }) => ({ before: "", parts: parts.map(String), mark, after: "" })),
  fc
    .tuple(digits, fc.constantFrom("", "+", "-"))
    .map(([part, before]) => ({ before, parts: [part], mark: "", after: "" })),
  fc
    .tuple(fc.constantFrom("C", "F", "J", "X"), fc.constantFrom("", "+", "++", "#"))
    .map(([part, after]) => ({ before: "", parts: [part], mark: "", after })),
);

/** Identifiers that hold the same words in another order, with other marks, or one word changed. */
function copiesOf(one: Identifier): string[] {
  const { before, parts, mark } = one;
  const swapped = parts.map((_, place) => {
    const other = (place + 1) % parts.length;
    return parts.map((part, at) => parts[at === place ? other : at === other ? place : at] ?? part);
  });
  const copies = [
    ...swapped.map((parts) => ({ ...one, parts })),
    { ...one, parts: parts.toReversed() },
    ...[".", ":", "/", "_"].map((mark) => ({ ...one, mark })),
    ...(parts.length === 1 && /\d/.test(parts[0]!)
      ? ["", "+", "-"].map((before) => ({ ...one, before }))
      : []),
    ...(parts.length === 1 && /[A-Z]/.test(parts[0]!)
      ? ["", "+", "++", "#"].map((after) => ({ ...one, after }))
      : []),
    ...(mark === "." && before === "v" ? [{ ...one, parts: [...parts, "0"] }] : []),
  ];
  return [...new Set(copies.map(written))].filter((copy) => copy !== written(one));
}

test("among near copies the exact identifier is first", () => {
  const owners = "Ada Ben Cleo Dina Egon Finn Gita Hugo Ines Jan Kaya Liv Mats Nell Otto".split(
    " ",
  );
  fc.assert(
    fc.property(
      identifier,
      fc.shuffledSubarray(owners, { minLength: owners.length }),
      fc.nat(),
      fc.constantFrom("Who owns #?", "#", "Tell me about # please"),
      (one, names, at, question) => {
        const exact = written(one);
        const all = copiesOf(one);
        all.splice(at % (all.length + 1), 0, exact);
        const texts = all.map((it, place) => `The thing ${it} is cared for by ${names[place]}.`);
        const [first] = answers(
          texts,
          question.replace("#", () => exact),
        );
        expect(first).toBe(`The thing ${exact} is cared for by ${names[all.indexOf(exact)]}.`);
      },
    ),
    runs(2_000),
  );
});

test("the row that holds a rare identifier is first among pieces of its table", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 59 }),
      fc.constantFrom("svc", "host-", "n_"),
      (row, name) => {
        const rows = Array.from(
          { length: 60 },
          (_, at) => `| ${name}${at} | ${8000 + at} | team${at % 7} |`,
        );
        const pieces = [0, 20, 40].map((from) => rows.slice(from, from + 20).join("\n"));
        pieces[0] = `| name | port | owner |\n|---|---|---|\n${pieces[0]}`;
        const [first] = answers(pieces, `which port has ${name}${row}?`);
        expect(first).toBe(pieces[Math.floor(row / 20)]);
      },
    ),
    runs(180),
  );
});

/** Words of scripts without spaces between words, marks above and below their letters among them. */
const UNSPACED: Readonly<Record<string, readonly string[]>> = {
  Thai: "หมา แมว บ้าน ตลาด รถไฟ ครู ดอกไม้ ทะเล หนังสือ น้ำแข็ง กุญแจ ร่ม ที่นอน สะพาน".split(" "),
  Lao: "ໝາ ແມວ ເຮືອນ ຕະຫຼາດ ລົດໄຟ ຄູ ດອກໄມ້ ທະເລ ປຶ້ມ ນ້ຳກ້ອນ ກະແຈ ຄັນຮົ່ມ ຂົວ ພູເຂົາ".split(" "),
  Khmer: "ឆ្កែ ឆ្មា ផ្ទះ ផ្សារ រថភ្លើង គ្រូ ផ្កា សមុទ្រ សៀវភៅ ទឹកកក កូនសោ ឆ័ត្រ ស្ពាន ភ្នំ".split(" "),
  Burmese: "ခွေး ကြောင် အိမ် ဈေး ရထား ဆရာ ပန်း ပင်လယ် စာအုပ် ရေခဲ သော့ ထီး တံတား တောင်".split(" "),
};

describe.each(Object.entries(UNSPACED))("%s", (_script, words) => {
  test("a word is found first, wherever it stands in a text without spaces", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...words], { minLength: 9, maxLength: 9 }),
        fc.integer({ min: 0, max: 2 }),
        ([sought, ...others], place) => {
          const sentence = (from: number) => others.slice(from, from + 3);
          const [first, ...rest] = [0, 2, 5].map((from) => sentence(from).join(""));
          const text = sentence(0).toSpliced(place, 0, sought!).join("");
          expect(answers([...OTHERS, first!, ...rest, text], sought!)[0]).toBe(text);
        },
      ),
      runs(60),
    );
  });
});
