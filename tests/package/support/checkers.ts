// The standard checkers of published packages: publint and attw ("are the types wrong?").

import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { type PackageFolder, tarball } from "./tarball.ts";

/** Returns what publint says about a packed package, suggestions included. */
export async function complaintsAbout(of: PackageFolder): Promise<(string | undefined)[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(await tarball(of));
  const { messages, pkg } = await publint({
    strict: true,
    level: "suggestion",
    pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer },
  });
  return messages.map((message) => formatMessage(message, pkg!));
}

/**
 * Returns the entry points of a packed package that have types, in order, and the problems of those
 * types in Node 16 and later, and in bundlers.
 */
export async function typesOf(of: PackageFolder, excludeEntrypoints: string[] = []) {
  const contents = createPackageFromTarballData(readFileSync(await tarball(of)));
  const result = await checkPackage(contents, { excludeEntrypoints });
  if (result.types === false) throw new Error("the package has no types");
  return {
    entries: Object.keys(result.entrypoints).sort(),
    // Resolution as in Node 10 knows no exports, so it finds the main entry alone.
    problems: result.problems.filter(
      (problem) => !("resolutionKind" in problem && problem.resolutionKind === "node10"),
    ),
  };
}
