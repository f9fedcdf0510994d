// Says of the files of a dry run from what they were made, as a statement of in-toto with provenance of SLSA 1.
// Nobody has signed it: it shows what the workflow of a release has signed, and proves nothing.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { at } from "../lib.mjs";

/** The files that name all packages of others. */
const LOCKS = ["Cargo.lock", "package-lock.json"];

/**
 * Returns the statement as JSON. `sums` is the text of SHA256SUMS, `revision` the commit; `isChanged` says that
 * files differ from it.
 */
export function provenanceOf({ sums, version, revision, isChanged, repository }) {
  const subject = sums
    .trim()
    .split("\n")
    .map((line) => ({ name: line.slice(66), digest: { sha256: line.slice(0, 64) } }));
  const source = { uri: `git+${repository ?? "file:."}`, digest: { gitCommit: revision } };
  const locks = LOCKS.map((name) => {
    const sha256 = createHash("sha256")
      .update(readFileSync(at(name)))
      .digest("hex");
    return { name, digest: { sha256 } };
  });
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:nous:release:dry-run",
        externalParameters: { command: "npm run release -- --dry-run", version, repository },
        internalParameters: {
          isSigned: false,
          differsFromCommit: isChanged,
          node: process.version,
          platform: `${process.platform}-${process.arch}`,
        },
        resolvedDependencies: [source, ...locks],
      },
      runDetails: { builder: { id: "urn:nous:builder:not-verified" } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
