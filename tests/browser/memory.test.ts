// nous-memory in a browser: the example prints there what it prints in Node.

import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { must, root } from "../package/support/tarball.ts";
import { openBrowser } from "./support/page.ts";

const EXAMPLE = join(root, "examples", "remember.ts");

it("remembers and writes a prompt as in Node", async () => {
  const outfile = join(root, ".cache", "examples", "remember-in-node.mjs");
  const shared = { entryPoints: [EXAMPLE], bundle: true, format: "esm" as const };
  await build({ ...shared, outfile, platform: "node", packages: "external" });
  const printed = await must(process.execPath, [outfile], root);
  // With the condition `import` the engine is in the bundle.
  const { outputFiles } = await build({ ...shared, platform: "neutral", write: false });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const lines: string[] = [];
    page.on("console", (message) => lines.push(message.text()));
    const failed: unknown[] = [];
    page.on("pageerror", (error) => failed.push(error));
    await page.addScriptTag({ type: "module", content: outputFiles[0]!.text });
    await expect.poll(() => lines.at(-1) ?? failed.join()).toMatch(/^kept: /);
    expect(failed).toEqual([]);
    expect(`${lines.join("\n")}\n`).toBe(printed);
  } finally {
    await browser.close();
  }
});
