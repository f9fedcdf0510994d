// One vitest project for each kind of test under tests/.
import { defineConfig } from "vitest/config";

const project = (name: string) => ({
  extends: true as const,
  test: { name, include: [`tests/${name}/**/*.test.ts`] },
});

export default defineConfig({
  test: {
    testTimeout: 60_000,
    projects: [project("parity"), project("package"), project("server")],
  },
});
