// The places of the repository that name its version, which all packages share. `npm run release`
// refuses if they differ, and `npm run release -- --set-version X.Y.Z` writes another.

import { readFileSync, writeFileSync } from "node:fs";
import { at, output } from "../lib.mjs";

/** A version, as all places write it. */
export const VERSION = /^\d+\.\d+\.\d+$/;

/**
 * Where the version stands: the files, as git names them, and patterns whose group is the version.
 * Each pattern fits in each of its files, unless the row is about texts.
 */
const PLACES = [
  { files: ["js/*/package.json"], patterns: [/^ {2}"version": "([\d.]+)",$/gm] },
  {
    files: ["package.json", "js/*/package.json"],
    patterns: [/"nous-[a-z0-9]+": "\^?([\d.]+)"/g],
    isText: true,
  },
  {
    files: ["package-lock.json"],
    patterns: [
      /"name": "nous-[a-z0-9]+",\n +"version": "([\d.]+)"/g,
      /"nous-[a-z0-9]+": "\^?([\d.]+)"/g,
    ],
  },
  { files: ["Cargo.toml", "crates/*/Cargo.toml"], patterns: [/^version = "([\d.]+)"$/gm] },
  { files: ["Cargo.toml"], patterns: [/^nous-\w+ = \{.* version = "([\d.]+)" \}$/gm] },
  { files: ["Cargo.lock"], patterns: [/^name = "nous-\w+"\nversion = "([\d.]+)"$/gm] },
  { files: ["clients/python/pyproject.toml"], patterns: [/^version = "([\d.]+)"$/gm] },
  { files: ["clients/python/src/nous_memory/_core.py"], patterns: [/^VERSION = "([\d.]+)"$/gm] },
  {
    // Files of a release, and images, that texts and commands name.
    files: ["**/*.md", "deploy/**"],
    patterns: [
      /\bnous(?:[-_][a-z0-9_]+)?-(\d+\.\d+\.\d+)(?=\.(?:tgz|tar|cdx|prov)|-py3|-linux)/g,
      /\bnous-server:(\d+\.\d+\.\d+)/g,
    ],
    isText: true,
  },
];

const filesLike = (patterns) =>
  output("git", ["ls-files", "--", ...patterns.map((pattern) => `:(glob)${pattern}`)])
    .split("\n")
    .filter((path) => path !== "" && path !== "CHANGELOG.md");

/** Returns the files of a row with their texts. */
const textsOf = ({ files }) =>
  filesLike(files).map((file) => ({ file, text: readFileSync(at(file), "utf8") }));

/** Returns each place as `FILE:LINE`, with the version that it names; undefined if it names none. */
export function versionsNamed() {
  return PLACES.flatMap((row) =>
    textsOf(row).flatMap(({ file, text }) =>
      row.patterns.flatMap((pattern) => {
        const found = [...text.matchAll(pattern)].map(({ 0: all, 1: version, index }) => {
          const line = text.slice(0, index + all.indexOf(version)).split("\n").length;
          return { place: `${file}:${line}`, version };
        });
        return found.length > 0 || row.isText ? found : [{ place: file, version: undefined }];
      }),
    ),
  );
}

/** Returns the version of the packages: that of the server. */
export const currentVersion = () =>
  JSON.parse(readFileSync(at("js", "server", "package.json"), "utf8")).version;

/** Returns a sentence for each place that does not name the version. */
export const outOfStep = (version, named = versionsNamed()) =>
  named
    .filter((one) => one.version !== version)
    .map((one) => `${one.place} names ${one.version ?? "no version"}, and not ${version}`);

/** Writes a version into all places. Returns the files that changed. */
export function setVersion(version) {
  const changed = new Set();
  for (const row of PLACES) {
    for (const { file, text } of textsOf(row)) {
      const now = row.patterns.reduce(
        (text, pattern) => text.replace(pattern, (all, old) => all.replace(old, version)),
        text,
      );
      if (now === text) continue;
      writeFileSync(at(file), now);
      changed.add(file);
    }
  }
  return [...changed];
}
