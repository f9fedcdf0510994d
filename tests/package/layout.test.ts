// The wire layout: the fields of each record follow each other without a gap, its size is the count
// of its numbers, and the build reads it correctly.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as generated from "../../js/engine/src/generated/layout.ts";
import { readLayout } from "../../js/scripts/layout.mjs";
import { root } from "./support/tarball.ts";

const source = readFileSync(join(root, "src", "wasm", "layout.rs"), "utf8");
const constants = readLayout(source);
const values = new Map(constants.map(({ name, value }) => [name, value]));
const records = new Map<string, typeof constants>();
for (const constant of constants) {
  const { record } = constant;
  if (record !== undefined) records.set(record, [...(records.get(record) ?? []), constant]);
}

describe("the wire layout", () => {
  it.each([...records])("has a size of %s that is the count of its numbers", (record, fields) => {
    let size = 0;
    for (const { name, value, width } of fields) {
      expect(value, name).toBe(size);
      expect(name.startsWith(`${record}_`), name).toBe(true);
      size += width!;
    }
    expect(values.get(record)).toBe(size);
  });

  it("has every constant of the source, with a comment", () => {
    // Counted in another way than the reader does: by the positions where names may stand.
    const fields = source.match(/^ {4}[A-Z][A-Z0-9_]*(: [A-Z0-9_]+)?,$/gm)!.length;
    const heads = source.match(/^record! \{$/gm)!.length;
    const plain = source.match(/^pub const /gm)!.length;
    expect(constants.length).toBe(fields + heads + plain);
    expect(records.size).toBe(heads);
    expect(constants.filter(({ about }) => about === "")).toEqual([]);
  });

  it("is the one that the engine was built with", () => {
    expect({ ...generated }).toEqual(Object.fromEntries(values));
  });

  it.each([
    ["an expression", "pub const ONE: usize = 1 + 1;"],
    ["a type that does not cross", "pub const ONE: &str = 1;"],
    ["a field without a comma", "record! {\n    /// A.\n    A:\n    A_ONE\n}"],
    ["a width that is unknown", "record! {\n    /// A.\n    A:\n    A_ONE: TWO,\n}"],
    ["fields before the name", "record! {\n    A_ONE,\n}"],
    ["a name twice", "pub const ONE: u8 = 1;\npub const ONE: u8 = 2;"],
    ["a line of another form", "const ONE: u8 = 1;"],
  ])("is refused with %s", (_, text) => {
    expect(() => readLayout(text)).toThrow(/^layout: /);
  });
});
