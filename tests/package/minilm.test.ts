// The packed package nous-minilm: its files, the standard checkers, its vectors, and how it loads
// in Node, in bundles and with a damaged file.

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { array, assert as check, constantFrom, property } from "fast-check";
import {
  type EmbedOptions,
  loadMinilm,
  type Minilm,
  MinilmError,
  type MinilmPair,
} from "nous-minilm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lifeStores } from "../../benches/quality/changes/stores.ts";
import { withReplaced } from "../../benches/quality/replaces.ts";
import { runs, some } from "../support/amount.ts";
import { complaintsAbout, typesOf } from "./support/checkers.ts";
import { emptyFolder, must, Project, root, run, tarball } from "./support/tarball.ts";

const MINUTES = 60_000;
const MODEL = "model/minilm-l6.bin";
const ADAPTER = "model/replacing.bin";
const ASKING = "model/asking.bin";
const SHA_256 = "e503eee675e1b2c58ed0940058fe04532d3ac9e88053355a03a55b4c0b4e58e1";

const recorded = (name: string, folder = "minilm") =>
  gunzipSync(readFileSync(join(root, "tests", "golden", folder, `${name}.gz`)));
const json = (name: string, folder?: string) => JSON.parse(recorded(name, folder).toString());
const bitsOf = (vectors: Float32Array) =>
  new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);

let project: Project;
let minilm: Minilm;

beforeAll(async () => {
  project = await Project.create("minilm");
  project.write("texts.mjs", `export const texts = ${recorded("bits.json").toString()};`);
  minilm = await loadMinilm();
}, 2 * MINUTES);

afterAll(() => {
  minilm?.free();
  project?.remove();
});

const installed = (...parts: string[]) => project.at("node_modules", "nous-minilm", ...parts);

describe("the tarball", () => {
  it("contains entries, model, manifest, readme and licences", async () => {
    const folder = "/node_modules/nous-minilm/";
    const contents = createPackageFromTarballData(readFileSync(await tarball("minilm")));
    const files = contents.listFiles(folder).map((path) => path.slice(folder.length));
    const types = ["errors", "load", "minilm", "module", "node"];
    expect(files.sort()).toEqual([
      "LICENSE",
      "NOTICE",
      "README.md",
      "THIRD-PARTY-LICENSES.txt",
      "dist/browser.mjs",
      "dist/bundled-node.mjs",
      "dist/node.cjs",
      "dist/node.mjs",
      ...types.flatMap((name) => [`dist/types/${name}.d.cts`, `dist/types/${name}.d.ts`]),
      "model/LICENSE",
      ASKING,
      MODEL,
      ADAPTER,
      "package.json",
    ]);
    expect(readFileSync(installed("NOTICE"), "utf8")).toContain(
      "sentence-transformers/all-MiniLM-L6-v2",
    );
    expect(readFileSync(installed("model", "LICENSE"), "utf8")).toContain("Apache License");
    expect(readFileSync(installed("THIRD-PARTY-LICENSES.txt"), "utf8")).toContain("xxhash-rust");
  });

  it("needs no other package and runs no script", () => {
    const manifest = JSON.parse(readFileSync(installed("package.json"), "utf8"));
    const { dependencies, peerDependencies, optionalDependencies, scripts } = manifest;
    expect([dependencies, peerDependencies, optionalDependencies, scripts]).toEqual(
      new Array(4).fill(undefined),
    );
  });

  it("publint reports nothing, suggestions included", async () => {
    expect(await complaintsAbout("minilm")).toEqual([]);
  });

  it("has valid types in Node 16 and later, and in bundlers", { timeout: MINUTES }, async () => {
    const { entries, problems } = await typesOf(
      "minilm",
      [MODEL, ADAPTER, ASKING].map((file) => `./${file}`),
    );
    expect(problems).toEqual([]);
    expect(entries).toEqual([".", "./package.json"]);
  });

  it("has the model file that js/minilm/export names", () => {
    const file = readFileSync(installed(MODEL));
    expect(createHash("sha256").update(file).digest("hex")).toBe(SHA_256);
    const readme = readFileSync(join(root, "js", "minilm", "export", "README.md"), "utf8");
    expect(readme).toContain(SHA_256);
    expect(readme).toContain(minilm.id);
  });
});

describe("vectors", () => {
  it("are near those of the published weights, in many scripts", () => {
    const texts: string[] = json("vectors.json");
    const steps = new Int8Array(recorded("vectors.bin"));
    expect([texts.length, steps.length]).toEqual([1000, 1000 * 384]);
    const places = some(
      texts.map((_, place) => place),
      250,
    );
    const { vectors } = minilm.embedAll(places.map((place) => texts[place]!));
    const cosines = places.map((place, row) => {
      const reference = steps.subarray(384 * place, 384 * (place + 1));
      const vector = vectors.subarray(384 * row, 384 * (row + 1));
      let [product, length] = [0, 0];
      for (const [at, step] of reference.entries()) {
        product += step * vector[at]!;
        length += step * step;
      }
      return product / Math.sqrt(length);
    });
    expect(cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length).toBeGreaterThan(0.99);
    expect(Math.min(...cosines)).toBeGreaterThan(0.93);
  });

  it("have the recorded bits, which are those of the native crate and of Chromium", () => {
    const texts: string[] = json("bits.json");
    const { vectors } = minilm.embedAll(texts);
    expect(Buffer.from(vectors.buffer).equals(recorded("bits.bin"))).toBe(true);
  });

  it("do not depend on the batch", () => {
    const texts: string[] = json("vectors.json");
    const batches = array(constantFrom("", ...texts.slice(0, 300)), {
      minLength: 1,
      maxLength: 80,
    });
    check(
      property(batches, (batch) => {
        const { vectors, tokens } = minilm.embedAll(batch);
        const place = batch.length >> 1;
        const alone = minilm.embed(batch[place]!);
        expect(bitsOf(vectors.slice(384 * place, 384 * (place + 1)))).toEqual(bitsOf(alone.vector));
        expect(tokens[place]).toBe(alone.tokens);
      }),
      runs(8),
    );
  });

  it("have length 1, and are zeros if the text has no word piece", () => {
    const { vectors, tokens } = minilm.embedAll(["tea", "", "\u0301\u200d", "prefers tea"]);
    expect([...tokens]).toEqual([1, 0, 0, 2]);
    const lengths = [0, 1, 2, 3].map((row) =>
      vectors.subarray(384 * row, 384 * (row + 1)).reduce((sum, value) => sum + value * value, 0),
    );
    expect(lengths).toEqual([expect.closeTo(1, 5), 0, 0, expect.closeTo(1, 5)]);
    expect(minilm.embedAll([])).toEqual({
      vectors: new Float32Array(),
      tokens: new Uint32Array(),
    });
  });

  it("are those of the first 254 word pieces, and the count says if there are more", () => {
    const long = "one two three ".repeat(200);
    const cut = `${"one two three ".repeat(84)}one two`;
    expect(minilm.maxTokens).toBe(254);
    expect([minilm.embed(long).tokens, minilm.countTokens(cut)]).toEqual([600, 254]);
    expect(bitsOf(minilm.embed(long).vector)).toEqual(bitsOf(minilm.embed(cut).vector));
  });

  it("count word pieces as the library does", () => {
    const { blocks }: { blocks: [number, string][] } = json("pieces.json");
    const texts: [string][] = json("tokens-nous-128.json", "embed");
    expect([texts.length, blocks.length]).toEqual([20_000, 200]);
    const sums = blocks.map((_, block) =>
      texts
        .slice(100 * block, 100 * (block + 1))
        .reduce((sum, [text]) => sum + minilm.countTokens(text), 0),
    );
    expect(sums).toEqual(blocks.map(([sum]) => sum));
  });
});

const told = ({ code, details, message }: MinilmError) => [code, details, message];

/** What a call refuses. */
const refusal = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    if (error instanceof MinilmError) return told(error);
  }
  return undefined;
};

const refused = (call: Promise<unknown>) => call.then(() => undefined, told);

describe("vectors of questions", () => {
  const question = { purpose: "question" } as const;
  let reader: Minilm;

  beforeAll(async () => {
    reader = await loadMinilm();
    await reader.loadAsking();
  }, MINUTES);

  afterAll(() => reader?.free());

  it("have the recorded bits, and passages those that they had", () => {
    const texts: string[] = json("bits.json");
    const bitsOfAll = (options: EmbedOptions) =>
      Buffer.from(reader.embedAll(texts, options).vectors.buffer);
    expect(bitsOfAll(question).equals(recorded("questions.bin"))).toBe(true);
    expect(bitsOfAll({}).equals(recorded("bits.bin"))).toBe(true);
  });

  it("are nearer to their answers, in memories that took part in nothing", {
    timeout: MINUTES,
  }, () => {
    const held = lifeStores().filter((store) => store.held);
    const ranks = some(held, 4).flatMap(({ memories, asked, replaced }) => {
      const passages = reader.embedAll(memories.map(({ text }) => text)).vectors;
      const cosine = (vector: Float32Array, place: number) => {
        const passage = passages.subarray(place * 384, (place + 1) * 384);
        return vector.reduce((sum, one, at) => sum + one * passage[at]!, 0);
      };
      /** 1 if an answer comes first, ½ if second, and so on. */
      const rankOf = (vector: Float32Array, answers: readonly string[]) => {
        const cosines = memories.map((_, place) => cosine(vector, place));
        const best = Math.max(...cosines.filter((_, at) => answers.includes(memories[at]!.id)));
        return 1 / cosines.filter((one) => one >= best).length;
      };
      return asked
        .filter(({ kind }) => kind === "paraphrase")
        .map(({ text, answers }) => {
          // Which of both holds is told by other rules.
          const all = withReplaced(replaced, answers);
          return {
            before: rankOf(minilm.embed(text).vector, all),
            after: rankOf(reader.embed(text, question).vector, all),
          };
        });
    });
    expect(ranks.length).toBeGreaterThan(40);
    const sum = (of: "before" | "after") => ranks.reduce((all, one) => all + one[of], 0);
    expect(sum("after")).toBeGreaterThan(sum("before"));
  });

  it("need the adapter for questions, whole", { timeout: MINUTES }, async () => {
    const model = await loadMinilm();
    const text = "Which beverage does Mira like?";
    const before = bitsOf(model.embed(text).vector);
    expect(bitsOf(model.embed(text, question).vector)).toEqual(before);
    const bytesOf = (path: string) => new Uint8Array(readFileSync(installed(path)));
    const wrong = async (file: Uint8Array) => (await refused(model.loadAsking({ file })))?.[2];
    expect(await wrong(bytesOf(ADAPTER))).toMatch(
      /^the adapter file replacing-384-[\da-f]{8} is for pairs, not for questions; take/,
    );
    const file = bytesOf(ASKING);
    expect((await refused(model.loadReplacing({ file })))?.[2]).toMatch(
      /^the adapter file asking-384-[\da-f]{8} is for questions, not for pairs; take/,
    );
    expect(await wrong(file.subarray(0, 5000))).toContain("is cut off: 5000 bytes");
    expect(await wrong(bytesOf(MODEL))).toContain("must begin with NOUSMLA1 or NOUSMLQ1");
    expect(bitsOf(model.embed(text, question).vector)).toEqual(before);
    await model.loadAsking({ file });
    expect(bitsOf(model.embed(text, question).vector)).toEqual(
      bitsOf(reader.embed(text, question).vector),
    );
    model.free();
    expect((await refused(model.loadAsking()))?.[0]).toBe("freed");
    expect((await refused(reader.loadAsking({ path: "x" } as never)))?.[2]).toBe(
      "path is not an option: the option is file",
    );
  });
});

describe("numbers of pairs", () => {
  const pairs: MinilmPair[] = json("pairs.json");
  let reader: Minilm;

  beforeAll(async () => {
    reader = await loadMinilm();
    await reader.loadReplacing();
  }, MINUTES);

  afterAll(() => reader?.free());

  it("have the recorded bits, which are those of the native crate and of Chromium", () => {
    expect(Buffer.from(reader.replacing(pairs).buffer).equals(recorded("pairs.bin"))).toBe(true);
    expect(reader.replacing([])).toEqual(new Float32Array());
  });

  it("do not depend on the batch, and depend on the order of both texts", () => {
    // More than the module gets at once.
    const many = Array.from({ length: 70 }, (_, place) => pairs[(7 * place) % pairs.length]!);
    const numbers = reader.replacing(many);
    for (const place of some([...many.keys()], 8)) {
      const alone = reader.replacing([many[place]!]);
      expect(bitsOf(numbers.slice(place, place + 1))).toEqual(bitsOf(alone));
    }
    const [older, newer] = ["Mira lives in Porto.", "Mira has moved to Ghent."];
    const [one, other] = reader.replacing([
      { older, newer },
      { older: newer, newer: older },
    ]);
    expect(one).not.toBe(other);
  });

  it("are of the first 44 word pieces of each text", () => {
    const whole = { older: "one two three ".repeat(15), newer: "four five six ".repeat(15) };
    const cut = { older: whole.older.slice(0, -7), newer: whole.newer.slice(0, -5) };
    expect([cut.older, cut.newer].map((text) => minilm.countTokens(text))).toEqual([44, 44]);
    const shorter = { older: cut.older, newer: "four five six ".repeat(14) };
    const [first, second, third] = reader.replacing([whole, cut, shorter]);
    expect(first).toBe(second);
    expect(third).not.toBe(second);
  });

  it("tell a change from its denial, in groups that took part in nothing", () => {
    const groups: { older: string; replacing: string[]; standing: string[] }[] = JSON.parse(
      readFileSync("benches/quality/changes/groups/denials-held.json", "utf8"),
    );
    const part = some(groups, 20);
    const shareOf = (name: "replacing" | "standing", places: readonly number[]) => {
      const pairs = part.flatMap((group) =>
        places.map((place) => ({ older: group.older, newer: group[name][place]! })),
      );
      const numbers = reader.replacing(pairs);
      return numbers.filter((one) => one > 0).length / numbers.length;
    };
    // A plain change, and one by its consequence.
    expect(shareOf("replacing", [0, 1])).toBeGreaterThan(0.6);
    // Two denials, a confirmation, and a change of something else.
    expect(shareOf("standing", [0, 1, 2, 3])).toBeLessThan(0.15);
  });

  it("leave vectors as they are", () => {
    const { vectors } = reader.embedAll(json("bits.json"));
    expect(Buffer.from(vectors.buffer).equals(recorded("bits.bin"))).toBe(true);
  });

  it("need the adapter of the model, whole", { timeout: MINUTES }, async () => {
    const model = await loadMinilm();
    const file = new Uint8Array(readFileSync(installed(ADAPTER)));
    const pair = { older: "tea", newer: "coffee" };
    const before = "This model reads no pairs yet: await its loadReplacing() first.";
    expect(refusal(() => model.replacing([pair]))).toEqual(["unsupported", {}, before]);
    expect(refusal(() => model.replacing([]))?.[0]).toBe("unsupported");
    const wrong = async (bytes: Uint8Array) => refused(model.loadReplacing({ file: bytes }));
    const flipped = file.slice();
    flipped[file.length >> 1]! ^= 1;
    const way = "take the file of this package's version";
    expect(await wrong(flipped)).toEqual([
      "invalid_model",
      { field: "file" },
      `the adapter file is damaged: its bytes have another hash than its last 8 say; ${way}`,
    ]);
    expect((await wrong(file.subarray(0, 5000)))?.[2]).toContain("is cut off: 5000 bytes");
    expect((await wrong(new Uint8Array(readFileSync(installed(MODEL)))))?.[2]).toContain(
      "the adapter file must begin with NOUSMLA1 or NOUSMLQ1",
    );
    expect(refusal(() => model.replacing([pair]))?.[0]).toBe("unsupported");
    await model.loadReplacing({ file });
    expect(bitsOf(model.replacing([pair]))).toEqual(bitsOf(reader.replacing([pair])));
    // A wrong file takes nothing away.
    await wrong(flipped);
    expect(bitsOf(model.replacing([pair]))).toEqual(bitsOf(reader.replacing([pair])));
    model.free();
    expect(refusal(() => model.replacing([pair]))?.[0]).toBe("freed");
    expect((await refused(model.loadReplacing()))?.[0]).toBe("freed");
  });

  it("refuse wrong pairs and options with field, place and what was found", async () => {
    const of = (value: unknown) => refusal(() => reader.replacing(value as never));
    for (const value of [undefined, null, "tea", { older: "tea", newer: "coffee" }])
      expect(of(value)).toEqual(["invalid_argument", { field: "pairs" }, "pairs must be an array"]);
    const pair = { older: "tea", newer: "coffee" };
    for (const [value, problem] of [
      [null, " must be an object with older and newer, found null"],
      [undefined, " must be an object with older and newer, found undefined"],
      ["tea", " must be an object with older and newer, found string"],
      [{ newer: "tea" }, ".older must be a string, found undefined"],
      [["tea", "coffee"], ".older must be a string, found undefined"],
      [{ older: "tea", newer: null }, ".newer must be a string, found null"],
      [
        { older: "tea", newer: "a".repeat(2 ** 20 + 1) },
        ".newer must have at most 1048576 characters, found 1048577: split it",
      ],
    ] as const)
      expect(of([pair, value])).toEqual([
        "invalid_argument",
        { field: "pairs", index: 1 },
        `pairs[1]${problem}`,
      ]);
    const load = (options: unknown) => refused(reader.loadReplacing(options as never));
    for (const options of [null, 1, []])
      expect((await load(options))?.[2]).toBe("options must be an object");
    expect(await load({ path: "x" })).toEqual([
      "invalid_argument",
      { field: "path" },
      "path is not an option: the option is file",
    ]);
    expect((await load({ file: new ArrayBuffer(8) }))?.[2]).toBe("file must be a Uint8Array");
  });
});

describe("wrong arguments", () => {
  it("are refused with field and place", () => {
    const wrong = (value: unknown) => value as never;
    for (const [value, found] of [
      [undefined, "undefined"],
      [null, "object"],
      [1, "number"],
      [["tea"], "object"],
    ]) {
      const message = `text must be a string, found ${value === null ? "null" : found}`;
      const expected = ["invalid_argument", { field: "text" }, message];
      expect(refusal(() => minilm.embed(wrong(value)))).toEqual(expected);
      expect(refusal(() => minilm.countTokens(wrong(value)))).toEqual(expected);
    }
    expect(refusal(() => minilm.embedAll(wrong("tea")))).toEqual([
      "invalid_argument",
      { field: "texts" },
      "texts must be an array",
    ]);
    const holes = new Array(2);
    holes[0] = "tea";
    expect(refusal(() => minilm.embedAll(holes))).toEqual([
      "invalid_argument",
      { field: "texts", index: 1 },
      "texts[1] must be a string, found undefined",
    ]);
    for (const options of [null, 1])
      expect(refusal(() => minilm.embed("tea", wrong(options)))).toEqual([
        "invalid_argument",
        { field: "options" },
        "options must be an object",
      ]);
    for (const purpose of ["", "query", null])
      expect(refusal(() => minilm.embedAll(["tea"], wrong({ purpose })))).toEqual([
        "invalid_argument",
        { field: "purpose" },
        'purpose must be "passage" or "question"',
      ]);
    const longest = "a ".repeat(2 ** 19);
    expect(minilm.countTokens(longest)).toBe(2 ** 19);
    expect(refusal(() => minilm.embedAll(["tea", `${longest}a`]))).toEqual([
      "invalid_argument",
      { field: "texts", index: 1 },
      "texts[1] must have at most 1048576 characters, found 1048577: split it",
    ]);
  });

  it("of options are refused", async () => {
    const failed = (options: unknown) =>
      loadMinilm(options as never).then(String, ({ code, details: { field }, message }) => [
        code,
        field,
        message,
      ]);
    for (const options of [null, 1, []])
      expect(await failed(options)).toEqual([
        "invalid_argument",
        "options",
        "options must be an object",
      ]);
    expect(await failed({ path: "x" })).toEqual([
      "invalid_argument",
      "path",
      "path is not an option: the options are model, file and onProgress",
    ]);
    expect((await failed({ file: new ArrayBuffer(8) }))[2]).toBe("file must be a Uint8Array");
    expect((await failed({ onProgress: 1 }))[2]).toBe("onProgress must be a function");
    const url = new URL("file:///model.bin");
    for (const model of [null, 1, {}, { url: "model.bin", bytes: 1, id: "a" }, { url, id: "a" }])
      expect(await failed({ model })).toEqual([
        "invalid_argument",
        "model",
        "model must be a model file with url, bytes and id, as that of nous-e5",
      ]);
  });

  it("a freed model keeps its name alone", async () => {
    const file = new Uint8Array(readFileSync(installed(MODEL)));
    const other = await loadMinilm({ file });
    other.free();
    other.free();
    expect([other.id, other.dimensions, other.maxTokens]).toEqual([minilm.id, 384, 254]);
    for (const call of [
      () => other.embed("tea"),
      () => other.embedAll(["tea"]),
      () => other.countTokens("tea"),
    ])
      expect(refusal(call)?.[0]).toBe("freed");
    expect(other[Symbol.dispose]).toBe(other.free);
  });
});

describe("Node", () => {
  it("loads the file in parts, and tells how far it is", async () => {
    const heard: [number, number][] = [];
    const loaded = await loadMinilm({ onProgress: (...told) => void heard.push(told) });
    const size = readFileSync(installed(MODEL)).length;
    expect(heard.length).toBeGreaterThan(10);
    expect(heard.at(-1)).toEqual([size, size]);
    expect(heard.every(([read, all], at) => all === size && read > (heard[at - 1]?.[0] ?? 0))).toBe(
      true,
    );
    expect(loaded.id).toBe(minilm.id);
  });

  it("gives the same classes and bits to imports and to require", async () => {
    const program = `
      const required = require("nous-minilm");
      import("nous-minilm").then(async (imported) => {
        const { texts } = await import("./texts.mjs");
        const minilm = await imported.loadMinilm();
        const same = ["Minilm", "MinilmError", "loadMinilm"].every((name) => required[name] === imported[name]);
        const { vectors } = (await required.loadMinilm()).embedAll(texts);
        const bits = Buffer.from(vectors.buffer).toString("base64");
        console.log(JSON.stringify({ same: same && minilm instanceof required.Minilm, bits }));
      });`;
    const { same, bits } = JSON.parse(await project.node("both.cjs", program));
    expect(same).toBe(true);
    expect(Buffer.from(bits, "base64").equals(recorded("bits.bin"))).toBe(true);
  });

  it("refuses a file that is cut off, longer, damaged or none", { timeout: MINUTES }, async () => {
    const whole = new Uint8Array(readFileSync(installed(MODEL)));
    const load = (file: Uint8Array) =>
      loadMinilm({ file }).then(String, ({ code, details, message }) => [
        code,
        details.field,
        message,
      ]);
    const flipped = whole.slice();
    flipped[whole.length >> 1]! ^= 1;
    const longer = new Uint8Array(whole.length + 1);
    longer.set(whole);
    const way = "take the file of this package's version";
    const size = whole.length;
    expect(await load(new Uint8Array())).toEqual([
      "invalid_model",
      "file",
      `the model file is cut off: 0 bytes of at least 28; ${way}`,
    ]);
    expect(await load(whole.subarray(0, size - 1))).toEqual([
      "invalid_model",
      "file",
      `the model file is cut off: ${size - 1} bytes of at least ${size}; ${way}`,
    ]);
    expect(await load(longer)).toEqual([
      "invalid_model",
      "file",
      `the model file must have ${size} bytes by its header, found ${size + 1} or more; ${way}`,
    ]);
    expect(await load(flipped)).toEqual([
      "invalid_model",
      "file",
      `the model file is damaged: its bytes have another hash than its last 8 say; ${way}`,
    ]);
    expect((await load(readFileSync(installed("package.json"))))[2]).toContain(
      "must begin with NOUSMLM1",
    );
  });
});

describe("bundles", () => {
  const PROBE = `import { texts } from "./texts.mjs";
    const bitsOf = (minilm) => Buffer.from(minilm.embedAll(texts).vectors.buffer).toString("base64");`;

  it("for Node without the file say how to pass it", async () => {
    const away = emptyFolder();
    try {
      const source = `import { loadMinilm, MinilmError } from "nous-minilm";
        import { readFileSync } from "node:fs";
        ${PROBE}
        const error = await loadMinilm().catch((error) => error);
        const file = readFileSync(${JSON.stringify(installed(MODEL))});
        const { code, message, cause } = error;
        const minilm = await loadMinilm({ file });
        const bits = bitsOf(minilm);
        const adapter = await minilm.loadReplacing().catch(({ code, message }) => [code, message]);
        await minilm.loadReplacing({ file: readFileSync(${JSON.stringify(installed(ADAPTER))}) });
        const [number] = minilm.replacing([{ older: "tea", newer: "coffee" }]);
        process.stdout.write(JSON.stringify([error instanceof MinilmError, code, message, cause.code, bits, adapter, number]));`;
      await build({
        entryPoints: [project.write("for-node.mjs", source)],
        outfile: join(away, "main.mjs"),
        bundle: true,
        platform: "node",
        format: "esm",
        logLevel: "error",
      });
      const text = await must(process.execPath, ["main.mjs"], away);
      const [isOurs, code, message, cause, bits, adapter, number] = JSON.parse(text);
      expect([isOurs, code, cause]).toEqual([true, "unsupported", "ENOENT"]);
      expect(message).toContain("as the option file");
      expect(adapter).toEqual([
        "unsupported",
        expect.stringMatching(
          /^The adapter file .* nous-minilm\/model\/replacing\.bin, as the option/,
        ),
      ]);
      expect(Number.isFinite(number)).toBe(true);
      expect(Buffer.from(bits, "base64").equals(recorded("bits.bin"))).toBe(true);
    } finally {
      rmSync(away, { recursive: true });
    }
  });

  it("for browsers fetch the file once, keep it, and do without a cache that refuses", async () => {
    const away = emptyFolder();
    try {
      await build({
        entryPoints: [
          project.write(
            "for-browser.mjs",
            `export { loadMinilm } from "nous-minilm"; ${PROBE} export { bitsOf };`,
          ),
        ],
        outfile: join(away, "dist", "main.js"),
        absWorkingDir: project.dir,
        bundle: true,
        platform: "browser",
        format: "esm",
        logLevel: "error",
      });
      // Node's fetch reads no files, and Node has no Cache API.
      const program = `
        import { readFile } from "node:fs/promises";
        import { loadMinilm, bitsOf } from "./dist/main.js";
        const file = new Uint8Array(await readFile("minilm-l6.bin"));
        const adapters = {
          replacing: new Uint8Array(await readFile("replacing.bin")),
          asking: new Uint8Array(await readFile("asking.bin")),
        };
        const adapter = adapters.replacing;
        const inParts = (bytes) => new ReadableStream({
          start(stream) {
            for (let from = 0; from < bytes.length; from += 2 ** 20) stream.enqueue(bytes.slice(from, from + 2 ** 20));
            stream.close();
          },
        });
        let [served, fetches, kept] = [file, 0, new Map([["an older model", file]])];
        globalThis.fetch = async (url) => {
          fetches++;
          const [, name] = /(replacing|asking)\\.bin$/.exec(url.pathname) ?? [];
          const bytes = served && name ? adapters[name] : served;
          return bytes ? new Response(inParts(bytes)) : new Response("", { status: 404 });
        };
        const cache = {
          match: async (key) => kept.get(key)?.clone(),
          keys: async () => [...kept.keys()].map((url) => ({ url })),
          delete: async (key) => kept.delete(key),
          put: async (key, response) => void kept.set(key, response),
        };
        const found = {};
        globalThis.caches = { open: async () => cache };
        const told = [];
        found.bits = bitsOf(await loadMinilm({ onProgress: (...heard) => told.push(heard) }));
        found.told = [told.length > 1, told.at(-1)];
        found.first = [fetches, kept.size, [...kept.keys()][0].endsWith("?" + (await loadMinilm()).id)];
        found.again = fetches;
        const [key] = kept.keys();
        kept.set(key, new Response(file.subarray(1000)));
        await loadMinilm();
        found.damaged = [fetches, (await (await cache.match(key)).arrayBuffer()).byteLength];
        globalThis.caches = { open: async () => { throw new DOMException("", "SecurityError"); } };
        await loadMinilm();
        found.refused = fetches;
        delete globalThis.caches;
        await loadMinilm();
        found.none = fetches;
        globalThis.caches = { open: async () => ({ ...cache, put: async () => { throw new DOMException("", "QuotaExceededError"); } }) };
        kept.clear();
        await loadMinilm();
        found.full = [fetches, kept.size];
        globalThis.caches = { open: async () => cache };
        fetches = 0;
        const reader = await loadMinilm();
        await reader.loadReplacing();
        await reader.loadReplacing();
        await (await loadMinilm()).loadReplacing();
        found.adapter = [fetches, kept.size];
        await reader.loadAsking();
        await reader.loadAsking();
        found.asking = [fetches, kept.size, reader.embed("tea", { purpose: "question" }).vector[0] !== reader.embed("tea").vector[0]];
        const [, keyOfAdapter] = kept.keys();
        kept.set(keyOfAdapter, new Response(adapter.subarray(1000)));
        await (await loadMinilm()).loadReplacing();
        found.adapterAgain = [fetches, (await (await cache.match(keyOfAdapter)).arrayBuffer()).byteLength];
        const other = await loadMinilm();
        kept.clear();
        served = undefined;
        found.noAdapter = await other.loadReplacing().then(String, ({ code, cause }) => [code, cause.message]);
        const failure = () => loadMinilm().then(String, ({ code, message, cause }) => [code, message, cause?.message]);
        served = undefined;
        found.missing = await failure();
        served = file.subarray(0, 5000);
        found.cut = await failure();
        found.kept = kept.size;
        process.stdout.write(JSON.stringify(found));
      `;
      copyFileSync(installed(MODEL), join(away, "minilm-l6.bin"));
      copyFileSync(installed(ADAPTER), join(away, "replacing.bin"));
      copyFileSync(installed(ASKING), join(away, "asking.bin"));
      const script = join(away, "run.mjs");
      copyFileSync(project.write("run.mjs", program), script);
      const { stdout, stderr } = await run(process.execPath, [script], away);
      expect(stderr).toBe("");
      const { bits, missing, cut, ...found } = JSON.parse(stdout);
      const size = readFileSync(installed(MODEL)).length;
      expect(Buffer.from(bits, "base64").equals(recorded("bits.bin"))).toBe(true);
      expect(found).toEqual({
        told: [true, [size, size]],
        first: [1, 1, true],
        again: 1,
        damaged: [2, size],
        refused: 3,
        none: 4,
        full: [5, 0],
        adapter: [2, 2],
        asking: [3, 3, true],
        adapterAgain: [4, readFileSync(installed(ADAPTER)).length],
        noAdapter: ["unsupported", expect.stringContaining("answered 404")],
        kept: 0,
      });
      expect(missing[0]).toBe("unsupported");
      expect(missing[1]).toContain("model/minilm-l6.bin");
      expect(missing[2]).toContain("answered 404");
      expect(cut[0]).toBe("invalid_model");
      expect(cut[1]).toContain("cut off: 5000 bytes");
    } finally {
      rmSync(away, { recursive: true });
    }
  });
});

it("TypeScript accepts callers from ES modules, CommonJS and bundlers", {
  timeout: MINUTES,
}, async () => {
  const use = `
    export async function use(): Promise<number> {
      const minilm: m.Minilm = await m.loadMinilm({ onProgress: (read: number, all: number) => void (read / all) });
      const { vectors, tokens }: m.MinilmEmbeddings = minilm.embedAll(["tea"] as const);
      await minilm.loadReplacing();
      const options: m.AdapterOptions = { file: undefined };
      await minilm.loadAsking(options);
      const pairs: readonly m.MinilmPair[] = [{ older: "tea", newer: "coffee" }];
      const numbers: Float32Array = minilm.replacing(pairs);
      // @ts-expect-error: pairs, not texts
      minilm.replacing(["tea", "coffee"]);
      const code: m.MinilmErrorCode = new m.MinilmError("freed", "").code;
      // @ts-expect-error: a text, not a list
      minilm.embed(["tea"]);
      return numbers[0]! + vectors[0]! + tokens[0]! + minilm.embed("tea").tokens + code.length;
    }
  `;
  project.write("imports.mts", `import * as m from "nous-minilm";${use}`);
  project.write("requires.cts", `import m = require("nous-minilm");${use}`);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const checked = async (options: object, ...files: string[]) => {
    const compilerOptions = { noEmit: true, strict: true, target: "es2022", types: [], ...options };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    return (await run(process.execPath, [tsc, "--pretty", "false"], project.dir)).stdout;
  };
  const bundler = { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] };
  const ways: [options: object, ...files: string[]][] = [
    [{ module: "nodenext" }, "imports.mts", "requires.cts"],
    [bundler, "imports.mts"],
  ];
  for (const way of some(ways, 1)) expect(await checked(...way)).toBe("");
});
