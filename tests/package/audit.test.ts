// The policy for npm's packages: which advisories fail, and what is no answer at all.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "./tarball.ts";

type Complaints = (answer: string, of: "installed" | "development") => string[] | undefined;
let complaintsIn: Complaints;

beforeAll(async () => {
  ({ complaintsIn } = await import(pathToFileURL(join(root, "js", "build", "audit.mjs")).href));
});

/** As npm tells of it. */
const answerWith = (severities: Record<string, string>): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [name, { name, severity, range: "<2.0.0", via: [] }]),
    ),
  });

describe("an advisory", () => {
  const answer = answerWith({ a: "info", b: "low", c: "moderate", d: "high", e: "critical" });

  it("fails from moderate on against what users install", () => {
    const named = ["c <2.0.0: moderate", "d <2.0.0: high", "e <2.0.0: critical"];
    expect(complaintsIn(answer, "installed")).toEqual(named.map((text) => `${text} (installed)`));
  });

  it("fails from high on against what builds and tests them", () => {
    const named = ["d <2.0.0: high", "e <2.0.0: critical"];
    expect(complaintsIn(answer, "development")).toEqual(named.map((text) => `${text} (development)`));
  });

  it("is none where there is none", () => {
    expect(complaintsIn(answerWith({}), "installed")).toEqual([]);
  });
});

it("what tells of no vulnerabilities, found or not, is no answer", () => {
  const refused = JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 });
  for (const answer of ["", "<html>", "null", "[]", refused, '{"vulnerabilities":null}']) {
    expect(complaintsIn(answer, "installed"), answer).toBe(undefined);
  }
});
