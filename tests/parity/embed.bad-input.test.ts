// Wrong arguments of an embedder: errors with field and place, and right answers afterwards.

import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { Embedder } from "nous-wasm";
import { afterEach, describe, expect, test } from "vitest";
import { expectRefusal, js, thrownBy } from "./support/bad-input.ts";

const tableOf = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../js/embedder/tables/${name}.bin`, import.meta.url)));
const TABLE = tableOf("nous-128");
const NO_TEXTS = [undefined, null, 5, {}, ["tea"], new String("tea"), Symbol("tea"), 1n];
const embedder = new Embedder(TABLE);
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
const any = embedder as any;
const tea = embedder.embed("tea");

afterEach(() => expect(embedder.embed("tea")).toEqual(tea));

describe("a table", () => {
  test("must be bytes", () => {
    const wrong = [undefined, null, "table", 5, {}, [1, 2], new ArrayBuffer(8), new Int8Array(8)];
    for (const table of [...wrong, new DataView(new ArrayBuffer(8)), { length: 8 }])
      expectRefusal(() => new js.Embedder(table), { field: "table" });
  });

  test("may be a part of a buffer, and of another realm", () => {
    const shifted = new Uint8Array(TABLE.length + 3);
    shifted.set(TABLE, 3);
    const foreign = runInNewContext("length => new Uint8Array(length)")(TABLE.length);
    foreign.set(TABLE);
    for (const table of [shifted.subarray(3), foreign, Buffer.from(TABLE)])
      expect(new Embedder(table).embed("tea")).toEqual(tea);
  });

  test("is copied", () => {
    const own = TABLE.slice();
    const copy = new Embedder(own);
    own.fill(0);
    expect(copy.embed("tea")).toEqual(tea);
  });

  test("is refused if it is cut off or damaged, with the place of the fault", () => {
    const changed = (at: number, ...bytes: number[]) => {
      const table = TABLE.slice();
      table.set(bytes, at);
      return new Embedder(table);
    };
    for (const length of [0, 7, 8, 19, 20, 1_000, TABLE.length - 1])
      expectRefusal(() => new Embedder(TABLE.subarray(0, length)), { field: "table" });
    expectRefusal(() => changed(0, 0x6e), { field: "table" });
    expectRefusal(() => changed(12, 127), { field: "table" });
    const eight = tableOf("nous-256");
    eight[eight.length - 1] = 128;
    expectRefusal(() => new Embedder(eight), { field: "table", index: 19_999 });
    // The second token becomes the first.
    expectRefusal(() => changed(22, 0x21), { field: "table", index: 1 });
    expect(`${thrownBy(() => changed(22, 0x21))}`).toBe(
      "NousError: tokens[1]: table must have no token twice",
    );
  });
});

describe("an embedder", () => {
  test("refuses texts that are no strings", () => {
    for (const text of NO_TEXTS) {
      expectRefusal(() => any.embed(text), { field: "text" });
      expectRefusal(() => any.embedInto(text, new Float32Array(128)), { field: "text" });
      if (!Array.isArray(text)) {
        const texts = ["tea", text];
        expectRefusal(() => any.embedAll(texts), { field: "texts", index: 1 });
        expectRefusal(() => any.embedAll(text), { field: "texts" });
      }
    }
    expectRefusal(() => any.embedAll(new Array(3)), { field: "texts", index: 0 });
    expectRefusal(() => any.embedAll(new Array(2 ** 32 - 1)), { field: "texts" }, "out_of_memory");
  });

  test("refuses targets without room, and leaves them as they are", () => {
    const target = new Float32Array(128).fill(7);
    for (const wrong of [undefined, null, [], new Float64Array(128), new Uint8Array(512), {}])
      expectRefusal(() => any.embedInto("tea", wrong), { field: "target" });
    expectRefusal(() => embedder.embedInto("tea", new Float32Array(127)), { field: "target" });
    expectRefusal(() => embedder.embedInto("tea", target, 1), { field: "target" });
    for (const offset of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "0", null])
      expectRefusal(() => any.embedInto("tea", target, offset), { field: "offset" });
    expect(target.every((number) => number === 7)).toBe(true);
  });

  test("reads lone surrogates as characters that the text loses", () => {
    expect(embedder.embed("te\ud800a")).toEqual(tea);
    expect(embedder.embedAll(["\udc00tea"]).vectors).toEqual(tea.vector);
  });

  test("is of no use after free", () => {
    const own = new Embedder(TABLE);
    const { id, dimensions } = own;
    own.free();
    own.free();
    expect([own.id, own.dimensions]).toEqual([id, dimensions]);
    for (const call of [
      () => own.embed("tea"),
      () => own.embedInto("tea", new Float32Array(128)),
      () => own.embedAll([]),
      // biome-ignore lint/suspicious/noExplicitAny: the declarations leave out what is internal
      () => (own as any).wordVectorInto(new Uint8Array(), new Float32Array(128)),
    ])
      expect(thrownBy(call)).toMatchObject({ name: "NousError", code: "freed" });
  });

  test("that a caller's list frees refuses the batch", () => {
    const own = new Embedder(TABLE);
    const texts = ["tea"];
    Object.defineProperty(texts, 0, {
      get() {
        own.free();
        return "tea";
      },
    });
    expect(thrownBy(() => own.embedAll(texts))).toMatchObject({ code: "freed" });
  });
});
