// The audit of the build: which advisories fail it, and that an unreadable report fails it.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { createGunzip } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { root, run } from "./support/tarball.ts";

type Of = "installed" | "development";
let complaintsIn: (answer: string, of: Of) => string[] | undefined;
let questionAbout: (of: Of) => string[];

beforeAll(async () => {
  ({ complaintsIn, questionAbout } = await import(
    pathToFileURL(join(root, "js", "scripts", "audit.mjs")).href
  ));
});

/** In npm's format. */
const answerWith = (severities: Record<string, string>): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [
        name,
        { name, severity, range: "<2.0.0", via: [] },
      ]),
    ),
  });

describe("an advisory", () => {
  const answer = answerWith({ a: "info", b: "low", c: "moderate", d: "high", e: "critical" });

  it("fails from moderate on for packages that users install", () => {
    const named = ["c <2.0.0: moderate", "d <2.0.0: high", "e <2.0.0: critical"];
    expect(complaintsIn(answer, "installed")).toEqual(named.map((text) => `${text} (installed)`));
  });

  it("fails from high on for packages that build and test", () => {
    const named = ["d <2.0.0: high", "e <2.0.0: critical"];
    expect(complaintsIn(answer, "development")).toEqual(
      named.map((text) => `${text} (development)`),
    );
  });

  it("is absent from a clean report", () => {
    expect(complaintsIn(answerWith({}), "installed")).toEqual([]);
  });
});

it("a report without a list of vulnerabilities, empty or not, is unreadable", () => {
  const refused = JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 });
  for (const answer of ["", "<html>", "null", "[]", refused, '{"vulnerabilities":null}']) {
    expect(complaintsIn(answer, "installed"), answer).toBe(undefined);
  }
});

describe("npm's audit", () => {
  /** The packages that npm sends to a registry. */
  async function askedAbout(of: Of): Promise<string[]> {
    let asked = {};
    const registry = createServer(async (request, response) => {
      const isPacked = request.headers["content-encoding"] === "gzip";
      asked = (await json(isPacked ? request.pipe(createGunzip()) : request)) as object;
      response.setHeader("content-type", "application/json").end("{}");
    });
    await new Promise<void>((listening) => registry.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void registry.close());
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const { stdout } = await run("npm", [...questionAbout(of), "--registry", url], root);
    expect(complaintsIn(stdout, of)).toEqual([]);
    return Object.keys(asked);
  }

  it("covers all packages that users install, the server's bundled ones included, and no build tools", async () => {
    const manifests = ["server", "postgres"].map((folder) =>
      JSON.parse(readFileSync(join(root, "js", folder, "package.json"), "utf8")),
    );
    const named = manifests
      .flatMap((manifest) => Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
      .filter(
        (name) => !["nous-embedder", "nous-memory", "nous-minilm", "nous-wasm"].includes(name),
      );
    const asked = await askedAbout("installed");
    expect(asked).toEqual(
      expect.arrayContaining([...named, "@asteasolutions/zod-to-openapi", "thread-stream"]),
    );
    expect(asked.filter((name) => ["esbuild", "vitest", "typescript"].includes(name))).toEqual([]);
  });

  it("covers build and test packages, too", async () => {
    expect(await askedAbout("development")).toEqual(
      expect.arrayContaining(["zod", "esbuild", "vitest", "typescript"]),
    );
  });
});
