// One vitest project for each kind of test under tests/.
import { defineConfig } from "vitest/config";

const project = (
  name: string,
  options: { maxWorkers: string | number; testTimeout: number } | { fileParallelism: false },
) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.ts`], ...options },
});
/** Driving a browser keeps more than one core busy by itself. */
const ALONE = { fileParallelism: false } as const;

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The package is linked to where it is built, which vite takes for sources; it is to be loaded by Node itself.
    server: { deps: { external: [/js\/engine\/dist/] } },
    projects: [
      // They only compute, and what they measure is the time of their own process: a file for each core. On a busy machine
      // millions of characters or questions take minutes; what never ends still has an end.
      project("parity", { maxWorkers: "100%", testTimeout: 180_000 }),
      // Servers wait for their disk as much as they compute; programs, and packages that are installed, for their start.
      ...["server", "package"].map((name) => project(name, { maxWorkers: 2, testTimeout: 120_000 })),
      project("browser", ALONE),
    ],
  },
});
