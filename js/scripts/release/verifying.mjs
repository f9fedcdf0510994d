// Verifies the files of a release: by its signed provenance, each is there, has its hash, and is named.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PREDICATE, STATEMENT, sha256 } from "./provenance.mjs";
import { objectOf, statementOf } from "./signing.mjs";

/** The ends of the names of the provenance and of the key that lies beside it. */
export const BUNDLE = ".provenance.sigstore.json";
export const PUBLIC_KEY = ".provenance.pub.pem";

const hashOf = (path) => (statSync(path).isFile() ? sha256(readFileSync(path)) : "of no file");

/** Returns the SHA-256 of all files of a folder by their names, without the provenance and its key. */
export const hashesOf = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith(BUNDLE) && !name.endsWith(PUBLIC_KEY))
      .sort()
      .map((name) => [name, hashOf(join(folder, name))]),
  );

/** Returns the hashes that a statement names, by the names of files. Throws if it is no provenance, naming the field. */
function subjectsOf(text) {
  const statement = objectOf(text);
  for (const [field, wanted] of Object.entries({ _type: STATEMENT, predicateType: PREDICATE }))
    if (statement?.[field] !== wanted)
      throw new Error(`${field} of its statement is ${statement?.[field]}, and not ${wanted}`);
  const { subject } = statement;
  if (!Array.isArray(subject) || subject.length === 0)
    throw new Error("subject of its statement is no list of files");
  const hashes = new Map();
  for (const [i, one] of subject.entries()) {
    const { name, digest } = one ?? {};
    if (typeof name !== "string" || !/^[0-9a-f]{64}$/.test(digest?.sha256))
      throw new Error(`subject[${i}] of its statement has no name with a digest.sha256`);
    if (hashes.has(name)) throw new Error(`subject[${i}] of its statement names ${name} again`);
    hashes.set(name, digest.sha256);
  }
  return hashes;
}

/**
 * Returns the statement by which each file of a folder is as the signer of `key` made it. Throws with all files that
 * are not.
 */
export function verifyFolder(folder, key) {
  const bundles = readdirSync(folder).filter((name) => name.endsWith(BUNDLE));
  if (bundles.length !== 1)
    throw new Error(`${folder} has ${bundles.length} files *${BUNDLE}, and not one`);
  const [bundle] = bundles;
  try {
    const text = statementOf(readFileSync(join(folder, bundle), "utf8"), key);
    const named = subjectsOf(text);
    const found = new Map(Object.entries(hashesOf(folder)));
    const wrong = [
      ...[...named]
        .filter(([name, hash]) => found.get(name) !== hash)
        .map(([name, hash]) =>
          found.has(name)
            ? `${name} has the SHA-256 ${found.get(name)}, and not ${hash}`
            : `${name} is missing`,
        ),
      ...[...found.keys()]
        .filter((name) => !named.has(name))
        .map((name) => `${name} is none of its subjects: remove it, or do not trust it`),
    ];
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return JSON.parse(text);
  } catch ({ message }) {
    throw new Error(`${bundle} does not hold: ${message}`);
  }
}
