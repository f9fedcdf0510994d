// One vitest project for each kind of test under tests/.
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { patience, SEED } from "./tests/support/amount.ts";

// All test files generate from one seed.
process.env.SEED = String(SEED);
// Hundreds of servers start: they load no sentence transformer unless a test asks for it.
process.env.NOUS_EMBEDDINGS_MODEL ??= "english-128";

/**
 * Long files, by project: they start first, since a long file that starts last would run alone at
 * the end.
 */
const LONG = [
  ...["memory.snapshot", "evidence.parity", "wasm.parity", "memory.parity", "consolidation.parity"],
  ...["query.expressions", "prompts.parity", "playbooks.bad-input", "questions.bad-input"],
  ...["memory-index", "fuzz", "instances"],
  ...["fairness", "hosting", "soak", "postgres", "large-answers", "concurrent-clients", "damage"],
  ...["embeddings", "export-import", "cli", "mcp", "backup", "keys", "preset"],
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

/** Tests of benches. They are a project of their own, wherever they stand. */
const OF_BENCHES = [
  "tests/parity/quality.*.test.ts",
  "tests/parity/rivals*.test.ts",
  "tests/server/plain-server.test.ts",
];

const project = (
  name: string,
  options: { maxWorkers: string | number; testTimeout: number } | { fileParallelism: false },
) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.ts`], exclude: OF_BENCHES, ...options },
});
/** Servers wait for their disk, their providers and each other. */
const SERVERS = { maxWorkers: 4, testTimeout: patience(120_000) };

/**
 * Suites of the server that do not run a second time with the memories in PostgreSQL, and why. In
 * the others `testOnFiles` and `describeOnFiles` mark single tests.
 */
const ON_FILES_ALONE = [
  // Of commands that work on files, and that refuse on PostgreSQL.
  ...["adoption", "backup", "bench", "deploy", "hynous-guide", "scheduled-backups"],
  // Of the files themselves: their damage, places, permissions, syncs, locks and remains.
  ...["connection", "damage", "disk", "durability", "faults", "moved-files", "no-paths-in-answers"],
  ...["output-files", "read-only", "released", "snapshots", "storage", "writers"],
  // Of rows that only SQLite stores: bytes in texts, columns without a type, another program's.
  ...["odd-rows", "unreadable-text"],
  // They start PostgreSQL themselves.
  ...["binary-copy", "concurrent-clients", "postgres", "postgres-keys", "postgres-released"],
  ...["postgres-round-trips", "proxies", "storage-conformance", "timeline"],
  // Of parts without a store, or of pages, examples and settings that know none.
  ...["blocking-thread", "bodies", "cli", "client-declarations", "docs", "embedder"],
  ...["embedding-pool", "first-agent", "mcp-install", "oauth", "other-programs", "served-page"],
];
/** Tests of the server that run once more, with the memories in PostgreSQL. */
const onPostgres = {
  extends: true as const,
  test: {
    name: "postgres",
    include: ["tests/server/**/*.test.ts"],
    exclude: [...OF_BENCHES, ...ON_FILES_ALONE.map((name) => `tests/server/${name}.test.ts`)],
    globalSetup: "tests/server/support/postgres-cluster.ts",
    ...SERVERS,
  },
};
/** The suite about PostgreSQL once more, on an older version that has maintenance. */
const onOlderPostgres = {
  extends: true as const,
  test: {
    name: "postgres-16",
    include: ["tests/server/postgres.test.ts"],
    env: { POSTGRES_MAJOR: "16" },
    ...SERVERS,
  },
};

/** Killing and restarting servers keeps all cores busy. */
const ALONE = { fileParallelism: false } as const;

/**
 * These tests only compute, and some measure the CPU time of their own process: a file per core. On
 * a busy machine millions of characters or questions take minutes; the timeout only has to catch a
 * hang.
 */
const COMPUTING = { maxWorkers: "100%", testTimeout: patience(180_000) };

export default defineConfig({
  test: {
    reporters: ["default", "./tests/support/reporter.ts"],
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is polled for comes late on a busy machine. Vitest's own timeout is one second.
    expect: { poll: { timeout: 20_000 } },
    // The packages are links into this repository, so vite would treat them as sources; Node itself
    // must load them.
    server: { deps: { external: [/js\/(engine|memory)\/dist/] } },
    projects: [
      project("parity", COMPUTING),
      { extends: true, test: { name: "benches", include: OF_BENCHES, ...COMPUTING } },
      // Programs and installed packages wait for their start.
      project("package", { maxWorkers: 2, testTimeout: 120_000 }),
      project("server", SERVERS),
      onPostgres,
      onOlderPostgres,
      // More pages at once would wait for each other's sentence transformer.
      project("browser", { maxWorkers: 2, testTimeout: 120_000 }),
      project("kills", ALONE),
    ],
  },
});
