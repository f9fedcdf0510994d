// Says from what the files of a release were made: a statement of in-toto with provenance of SLSA 1.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { at } from "../lib.mjs";

export const STATEMENT = "https://in-toto.io/Statement/v1";
export const PREDICATE = "https://slsa.dev/provenance/v1";

/** The files that name all packages of others. */
const LOCKS = ["Cargo.lock", "package-lock.json"];

export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * Returns the statement as JSON. `hashes` are the SHA-256 of the files by their names, `revision` is the commit;
 * `isChanged` says that files differ from it. A dry run names itself as such, so that nobody takes its files for a
 * release, whoever signs them.
 */
export function provenanceOf({ hashes, version, revision, isChanged, repository, isDry }) {
  const subject = Object.entries(hashes).map(([name, sha256]) => ({ name, digest: { sha256 } }));
  const source = { uri: `git+${repository ?? "file:."}`, digest: { gitCommit: revision } };
  const locks = LOCKS.map((name) => ({ name, digest: { sha256: sha256(readFileSync(at(name))) } }));
  const command = `npm run release${isDry ? " -- --dry-run" : ""}`;
  const statement = {
    _type: STATEMENT,
    subject,
    predicateType: PREDICATE,
    predicate: {
      buildDefinition: {
        buildType: isDry ? "urn:nous:release:dry-run" : "urn:nous:release",
        externalParameters: { command, version, repository },
        internalParameters: {
          differsFromCommit: isChanged,
          node: process.version,
          platform: `${process.platform}-${process.arch}`,
        },
        resolvedDependencies: [source, ...locks],
      },
      runDetails: { builder: { id: "urn:nous:builder:machine-of-the-signer" } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
