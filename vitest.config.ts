// One vitest project for each kind of test under tests/.
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long, of each project: begun last, one of them would run alone at the end. */
const LONG = [
  ...[
    "questions.bad-input",
    "playbooks.bad-input",
    "query.parity",
    "memory.snapshot",
    "prompts.parity",
  ],
  ...["demo-terminal", "memory-index", "fuzz", "instances"],
  ...["soak", "embeddings", "remote", "concurrent-clients", "hosting", "export-import"],
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

const project = (
  name: string,
  options: { maxWorkers: string | number; testTimeout: number } | { fileParallelism: false },
) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.ts`], ...options },
});
/**
 * Driving a browser keeps more than one core busy by itself; killing servers and starting them
 * again keeps all of them.
 */
const ALONE = { fileParallelism: false } as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The package is linked to where it is built, which vite takes for sources; it is to be loaded
    // by Node itself.
    server: { deps: { external: [/js\/engine\/dist/] } },
    projects: [
      // They only compute, and what they measure is the time of their own process: a file for each
      // core. On a busy machine millions of characters or questions take minutes; what never ends
      // still has an end.
      project("parity", { maxWorkers: "100%", testTimeout: 180_000 }),
      // Programs, and packages that are installed, wait for their start; servers for their disk,
      // their providers and each other.
      project("package", { maxWorkers: 2, testTimeout: 120_000 }),
      project("server", { maxWorkers: 3, testTimeout: 120_000 }),
      project("browser", ALONE),
      project("kills", ALONE),
    ],
  },
});
