// The tiers of the tests: amounts, seeds, and the line that repeats a failure.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "./support/tarball.ts";

const SUPPORT = join(root, "tests", "support");

/** Runs a test file alone, in a project of its own, with this environment. */
function run(code: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "tiers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "it.test.ts");
  const support = JSON.stringify(join(SUPPORT, "amount.ts"));
  writeFileSync(
    file,
    `import fc from "fast-check";
     import { describe, expect, it } from "vitest";
     import { amount, isFull, runs, SEED, some } from ${support};
     import * as inTurn from ${JSON.stringify(join(SUPPORT, "in-turn.ts"))};
     ${code}`,
  );
  const reporter = join(SUPPORT, "reporter.ts");
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `import { SEED } from ${support};
     process.env.SEED = String(SEED);
     export default { test: {
       reporters: ["default", ${JSON.stringify(reporter)}],
       projects: [{ extends: true, test: { name: "own", include: ["*.test.ts"] } }],
     } };`,
  );
  const command = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--root", folder];
  return node([...command, ...args], env, folder);
}

/** Runs Node with this environment, without the tier and seed of this run. */
function node(args: readonly string[], env: NodeJS.ProcessEnv, cwd = root) {
  const { SEED: _, TIER: __, REPORT: ___, ...others } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { ...others, NO_COLOR: "1", ...env },
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

/** Prints an expression of the exports of amount.ts. */
function printed(expression: string, env: NodeJS.ProcessEnv) {
  const module = JSON.stringify(join(SUPPORT, "amount.ts"));
  const code = `const { some } = await import(${module}); console.log(JSON.stringify(${expression}));`;
  return node(["--input-type=module", "--eval", code], env);
}

const PRINTS = "it('prints', () => console.log(JSON.stringify([SEED, amount(50), runs(7)])));";

describe("a run", () => {
  it("draws a new seed, prints it, and hands it to its files", () => {
    const seeds = [run(PRINTS, {}), run(PRINTS, {})].map(({ status, output }) => {
      expect(status).toBe(0);
      const [, seed] = /^SEED=(\d+) repeats/m.exec(output)!;
      expect(output).toContain(`[${seed},5,{"numRuns":7,"seed":${seed}}]`);
      return seed;
    });
    expect(seeds[0]).not.toBe(seeds[1]);
  });

  it("takes the seed and the tier that are given", () => {
    const { output } = run(PRINTS, { SEED: "123", TIER: "full" });
    expect(output).toContain('[123,50,{"numRuns":7,"seed":123}]');
  });

  it.each(["x", "-1", "0.5", "2147483648", ""])("refuses the seed %j", (seed) => {
    const { status, output } = printed("1", { SEED: seed });
    expect(status).toBe(1);
    expect(output).toContain(`SEED is "${seed}": give a whole number from 0 to 2147483647`);
  });
});

it("a failure prints the line that repeats it, and that line runs this test alone", () => {
  const code = `describe("it's a group", () => {
    it("fails at (some) numbers", () => {
      fc.assert(fc.property(fc.nat(), (n) => n < 1000), runs(amount(1000)));
    });
    it("passes", () => {});
  });`;
  const { status, output } = run(code, { SEED: "77", TIER: "full", KILLS: "3" });
  expect(status).toBe(1);
  const [, line] = /^ {2}again: (.*)$/m.exec(output)!;
  const name = "it'\\''s a group fails at \\(some\\) numbers";
  const variables = "SEED=77 TIER=full KILLS=3";
  expect(line).toBe(`${variables} npx vitest run --project own it.test.ts -t '${name}'`);
  const found = /Counterexample: \[\d+\]/.exec(output)![0];
  const again = run(code, { SEED: "77", TIER: "full" }, "-t", name.replace("'\\''", "'"));
  expect(again.output).toContain(found);
  expect(again.output).toMatch(/Tests +1 failed \| 1 skipped/);
});

it("the part of a list moves with the seed, and the full tier has the whole list", () => {
  const part = (env: NodeJS.ProcessEnv) => printed("some([...Array(7).keys()], 3)", env).output;
  expect(["0", "1", "2"].map((SEED) => JSON.parse(part({ SEED })))).toEqual([
    [0, 3, 6],
    [2, 5],
    [1, 4],
  ]);
  expect(JSON.parse(part({ TIER: "full" }))).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

it("of tests that take turns every second one runs, and of each block one", () => {
  const code = `const { describe: block, test: turn } = inTurn;
    const says = (name) => turn(name, () => console.log("ran " + name));
    says("first"); says("second");
    block("some", () => { says("third"); says("fourth"); says("fifth"); });
    block("one", { timeout: 9000 }, () => says("sixth"));
    block.each(["x", "y"])("each of %s", (row) => {
      turn.each([1, 2])(row + " %i", (n) => console.log("ran " + row + n));
      turn.runIf(true)("so", () => console.log("ran " + row));
    });`;
  const ran = (env: NodeJS.ProcessEnv) => {
    const { status, output } = run(code, env);
    expect(status).toBe(0);
    return [...output.matchAll(/^ran (.*)$/gm)].map(([, name]) => name).join(" ");
  };
  expect(ran({ SEED: "0" })).toBe("first third fifth sixth x1 x2 y1 y2");
  expect(ran({ SEED: "1" })).toBe("second fourth sixth x y");
  const all = "first second third fourth fifth sixth x1 x2 x y1 y2 y";
  expect(ran({ SEED: "1", TIER: "full" })).toBe(all);
});
