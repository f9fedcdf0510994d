// One vitest project for each kind of test under tests/.
import { defineConfig } from "vitest/config";

const project = (name: string, fileParallelism = true) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.ts`], fileParallelism },
});

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // The package is linked to where it is built, which vite takes for sources; it is to be loaded by Node itself.
    server: { deps: { external: [/js\/engine\/dist/] } },
    // Installing packages and driving a browser keep more than one core busy by themselves.
    projects: [project("parity"), project("package", false), project("browser", false), project("server", false)],
  },
});
