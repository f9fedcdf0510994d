// Reads the wire layout from src/wasm/layout.rs and writes it as TypeScript. The layout consists of
// constants, so that its text is enough. The module exports no layout, and esbuild inlines the
// constants.

/**
 * Returns the constants of a layout, in order. Reads `record! { … }` and `pub const NAME: type =
 * literal;`, and throws for any other line: a field that this reader missed would shift all after
 * it.
 *
 * @param {string} text of src/wasm/layout.rs
 * @returns {{ name: string, value: number, about: string, record?: string, width?: number }[]}
 */
export function readLayout(text) {
  // The macro that gives Rust the same numbers.
  const lines = text
    .replace(/(?:^\/\/\/.*\n)*^macro_rules! record \{\n[\s\S]*?^\}\n/m, "")
    .split("\n");
  const constants = [];
  const values = new Map();
  const about = [];
  /** The record that is being read: its name, its comment and its numbers so far. */
  let record;
  const add = (constant) => {
    if (values.has(constant.name)) throw new Error(`layout: ${constant.name} is defined twice`);
    values.set(constant.name, constant.value);
    constants.push(constant);
  };
  const takeAbout = () => about.splice(0).join(" ");
  for (const [place, line] of lines.entries()) {
    const has = (pattern) => pattern.exec(line);
    const comment = has(/^\s*\/\/\/ (.*)$/);
    if (comment) {
      about.push(comment[1]);
      continue;
    }
    if (record === undefined) {
      if (line === "" || has(/^\/\/(!| |$)/)) continue;
      const constant = has(/^pub const ([A-Z][A-Z0-9_]*): (?:usize|u32|u8|f64) = (.+);$/);
      if (constant) {
        const [, name, literal] = constant;
        add({ name, value: numberOf(literal), about: takeAbout() });
        continue;
      }
      if (line === "record! {") {
        record = { size: 0 };
        continue;
      }
    } else {
      const head = has(/^ {4}([A-Z][A-Z0-9_]*):$/);
      if (head && record.name === undefined) {
        record.name = head[1];
        record.about = takeAbout();
        continue;
      }
      const field = has(/^ {4}([A-Z][A-Z0-9_]*)(?:: (\d+|[A-Z][A-Z0-9_]*))?,$/);
      if (field && record.name !== undefined) {
        const [, name, wide = "1"] = field;
        const width = /^\d/.test(wide) ? Number(wide) : values.get(wide);
        if (width === undefined)
          throw new Error(`layout: the width of ${name} is ${wide}, which is unknown`);
        add({ name, value: record.size, about: takeAbout(), record: record.name, width });
        record.size += width;
        continue;
      }
      if (line === "}" && record.name !== undefined) {
        add({ name: record.name, value: record.size, about: record.about });
        record = undefined;
        continue;
      }
    }
    throw new Error(`layout: cannot read ${JSON.stringify(line)}, line ${place + 1} of constants`);
  }
  return constants;
}

const LITERALS = new Map([
  ["f64::NEG_INFINITY", Number.NEGATIVE_INFINITY],
  ["f64::INFINITY", Number.POSITIVE_INFINITY],
  ["u32::MAX", 2 ** 32 - 1],
]);

function numberOf(literal) {
  const value = LITERALS.get(literal);
  if (value !== undefined) return value;
  if (/^-?\d[\d_]*(\.\d+)?$/.test(literal)) return Number(literal.replaceAll("_", ""));
  throw new Error(`layout: ${literal} is not a number that this reader knows`);
}

/** Returns the constants of a layout as TypeScript. */
export function layoutAsTypeScript(text) {
  const source = readLayout(text).map(({ name, value, about }) => {
    const comment = about.replace(/\[`(\w+)`\]/g, "`$1`");
    return `/** ${comment} */\nexport const ${name} = ${value};\n`;
  });
  return `// Made by js/scripts/build.mjs from src/wasm/layout.rs.\n\n${source.join("")}`;
}
