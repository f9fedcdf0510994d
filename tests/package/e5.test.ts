// The packed package nous-e5 with nous-minilm: its files, its vectors, and how it loads in Node.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createPackageFromTarballData } from "@arethetypeswrong/core";
import { multilingual } from "nous-e5";
import { loadMinilm, type Minilm } from "nous-minilm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { some } from "../support/amount.ts";
import { complaintsAbout, typesOf } from "./support/checkers.ts";
import { Project, root, tarball } from "./support/tarball.ts";

const MINUTES = 60_000;
const MODEL = "model/e5-small.bin";
const SHA_256 = "ad1511fe5b99c7f478e15563e449295be75bbf0768d6242f3bbb9d07502e99c3";

const recorded = (name: string) =>
  gunzipSync(readFileSync(join(root, "tests", "golden", "e5", `${name}.gz`)));
const json = (name: string) => JSON.parse(recorded(name).toString());

let project: Project;
let e5: Minilm;

beforeAll(async () => {
  project = await Project.create("minilm", "e5");
  e5 = await loadMinilm({ model: multilingual });
}, 2 * MINUTES);

afterAll(() => {
  e5?.free();
  project?.remove();
});

const installed = (...parts: string[]) => project.at("node_modules", "nous-e5", ...parts);

describe("the tarball", () => {
  it("contains entries, model, manifest, readme and licences", async () => {
    const folder = "/node_modules/nous-e5/";
    const contents = createPackageFromTarballData(readFileSync(await tarball("e5")));
    const files = contents.listFiles(folder).map((path) => path.slice(folder.length));
    expect(files.sort()).toEqual([
      "LICENSE",
      "NOTICE",
      "README.md",
      "index.cjs",
      "index.d.cts",
      "index.d.ts",
      "index.js",
      "model/LICENSE",
      MODEL,
      "package.json",
    ]);
    expect(readFileSync(installed("NOTICE"), "utf8")).toContain("intfloat/multilingual-e5-small");
    expect(readFileSync(installed("model", "LICENSE"), "utf8")).toContain("MIT License");
  });

  it("needs no other package and runs no script", () => {
    const manifest = JSON.parse(readFileSync(installed("package.json"), "utf8"));
    const { dependencies, peerDependencies, optionalDependencies, scripts } = manifest;
    expect([dependencies, peerDependencies, optionalDependencies, scripts]).toEqual(
      new Array(4).fill(undefined),
    );
  });

  it("publint reports nothing, suggestions included", async () => {
    expect(await complaintsAbout("e5")).toEqual([]);
  });

  it("has valid types in Node 16 and later, and in bundlers", { timeout: MINUTES }, async () => {
    const { entries, problems } = await typesOf("e5", [`./${MODEL}`]);
    expect(problems).toEqual([]);
    expect(entries).toEqual([".", "./package.json"]);
  });

  it("has the model file that js/minilm/export names", () => {
    const file = readFileSync(installed(MODEL));
    expect(createHash("sha256").update(file).digest("hex")).toBe(SHA_256);
    const readme = readFileSync(join(root, "js", "minilm", "export", "README.md"), "utf8");
    expect(readme).toContain(SHA_256);
    expect(readme).toContain(e5.id);
    expect(file.length).toBe(multilingual.bytes);
  });
});

describe("vectors", () => {
  it(
    "are near those of the source in f32, in many scripts",
    () => {
      const texts: string[] = json("vectors.json");
      const steps = new Int8Array(recorded("vectors.bin"));
      expect([texts.length, steps.length]).toEqual([240, 240 * 384]);
      const rows = some([...texts.keys()], 60);
      const { vectors } = e5.embedAll(rows.map((row) => texts[row]!));
      const cosines = rows.map((row, place) => {
        const a = steps.subarray(384 * row, 384 * (row + 1));
        const b = vectors.subarray(384 * place, 384 * (place + 1));
        const length = Math.hypot(...a);
        return a.reduce((sum, step, place) => sum + step * b[place]!, 0) / length;
      });
      expect(cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length).toBeGreaterThan(
        0.97,
      );
      expect(Math.min(...cosines)).toBeGreaterThan(0.9);
    },
    MINUTES,
  );

  it("have the recorded bits, which are those of the native crate and of Chromium", () => {
    const texts: string[] = json("bits.json");
    const found = texts.map(
      (text, place) => e5.embed(text, { purpose: place % 2 ? "question" : "passage" }).vector,
    );
    const bytes = Buffer.concat(found.map(({ buffer }) => Buffer.from(buffer)));
    expect(bytes.equals(recorded("bits.bin"))).toBe(true);
  });

  it("differ by purpose, and are zeros if the text has no word piece", () => {
    const [passage, question] = [e5.embed("Tee"), e5.embed("Tee", { purpose: "question" })];
    expect(passage.vector).not.toEqual(question.vector);
    expect(e5.embed("Tee", { purpose: "passage" })).toEqual(passage);
    const { vectors, tokens } = e5.embedAll(["", " \u200b", "Tee"], { purpose: "question" });
    expect([...tokens.slice(0, 2)]).toEqual([0, 0]);
    expect(vectors.subarray(0, 768).every((component) => component === 0)).toBe(true);
    expect(vectors.subarray(768)).toEqual(question.vector);
  });

  it("are those of the first word pieces, and the count says if there are more", () => {
    const long = "eins zwei drei ".repeat(200);
    const { vector, tokens } = e5.embed(long);
    expect(tokens).toBeGreaterThan(e5.maxTokens);
    expect(tokens).toBe(e5.countTokens(long));
    expect(e5.embed(`${long} vier`).vector).toEqual(vector);
  });

  it("count word pieces as the library does", () => {
    const { texts }: { texts: [string, number[], number[]][] } = json("pieces.json");
    for (const [text, passage] of texts) {
      // Behind a start, two pieces of the prefix at most, and before an end.
      if (passage.length === 0) expect(e5.countTokens(text), text).toBe(0);
      else if (passage.length < 256) {
        const prefix = e5.countTokens("passage:");
        expect(e5.countTokens(text), text).toBe(passage.length - 2 - prefix);
      }
    }
  });
});

describe("loading", () => {
  it(
    "checks the hash of the file, and tells how far it is",
    async () => {
      const file = new Uint8Array(readFileSync(installed(MODEL)));
      const heard: [number, number][] = [];
      const onProgress = (...told: [number, number]) => void heard.push(told);
      const loaded = await loadMinilm({ model: multilingual, onProgress });
      expect(loaded.id).toBe(multilingual.id);
      expect(heard.at(-1)).toEqual([file.length, file.length]);
      expect((await loadMinilm({ file })).id).toBe(multilingual.id);
      expect((await loadMinilm({ file, model: multilingual })).id).toBe(multilingual.id);
      const refused = (options: object) =>
        loadMinilm(options).then(String, ({ code, message }) => [code, message]);
      const other = { ...multilingual, id: "e5-384-00000000" };
      const expected = ["invalid_model", expect.stringContaining(`is ${e5.id}, and`)];
      expect(await refused({ model: other })).toEqual(expected);
      expect(await refused({ model: other, file })).toEqual(expected);
      const gone = new URL("./gone.bin", multilingual.url);
      expect((await refused({ model: { ...multilingual, url: gone } }))[0]).toBe("unsupported");
      file[file.length >> 1]! ^= 1;
      expect((await refused({ model: multilingual, file }))[1]).toContain("is damaged");
    },
    MINUTES,
  );

  it("gives the same model to imports and to require", { timeout: MINUTES }, async () => {
    const program = `
      const { multilingual } = require("nous-e5");
      const { loadMinilm } = require("nous-minilm");
      import("nous-e5").then(async (imported) => {
        const same = imported.multilingual.url.href === multilingual.url.href;
        const e5 = await loadMinilm({ model: multilingual });
        console.log(JSON.stringify([same, e5.id, multilingual.bytes, imported.multilingual.id]));
      });`;
    const { id, bytes } = multilingual;
    expect(JSON.parse(await project.node("both.cjs", program))).toEqual([true, id, bytes, id]);
  });
});
