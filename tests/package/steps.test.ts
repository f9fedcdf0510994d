// The steps of a build tell what begins, how long it takes, how far it is, and when it is done, also
// without a terminal.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

const LIB = new URL("../../js/scripts/lib.mjs", import.meta.url).href;

/** Runs a program of Node as a step of a build. Returns what is told of it. */
async function toldOf(program: string): Promise<string> {
  const running = `
    import { runStep } from ${JSON.stringify(LIB)};
    const how = { duration: "some seconds" };
    console.log(await runStep("the step", process.execPath, ["-e", ${JSON.stringify(program)}], how));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", running]);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return err + out;
}

describe.concurrent("a step of a build", () => {
  it("tells its progress by cargo's own count, and leaves cargo's lines out", async () => {
    const told = await toldOf(`
      process.stderr.write("   Compiling one v1.0.0\\n    Building [=> ] 1/9: one   \\r");
      process.stderr.write("    Building [==> ] 3/9: two, three   \\r");
      process.stderr.write("warning: this stays\\n");
      setTimeout(() => process.stderr.write("    Finished in a while\\n"), 11_000);
    `);
    expect(told).toMatch(
      /^· the step \(some seconds\)\n· … the step \(3 of 9 crates, 10 s\)\nwarning: this stays\n· the step: done in 1[12] s\ntrue\n$/,
    );
  }, 60_000);

  it("shows all that was written if it fails", async () => {
    const told = await toldOf(`
      process.stderr.write("   Compiling one v1.0.0\\nerror: no\\n");
      process.exitCode = 1;
    `);
    expect(told).toBe("· the step (some seconds)\n   Compiling one v1.0.0\nerror: no\nfalse\n");
  });
});
