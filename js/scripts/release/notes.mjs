// The notes of a release: its section of CHANGELOG.md.

import { readFileSync } from "node:fs";
import { at } from "../lib.mjs";

/** Returns the text below a heading of the changelog; undefined if there is no such heading. */
export function sectionOf(changelog, heading) {
  const [, after] = changelog.split(new RegExp(`^## ${heading}(?: – \\d{4}-\\d\\d-\\d\\d)?$`, "m"));
  return after?.split(/^## /m)[0].trim();
}

/** Returns the notes of a version. Until its section is cut, what is not released yet. */
export function notesOf(version) {
  const changelog = readFileSync(at("CHANGELOG.md"), "utf8");
  const cut = sectionOf(changelog, version.replaceAll(".", "\\."));
  const text = cut ?? sectionOf(changelog, "Unreleased") ?? "";
  return { isCut: cut !== undefined, text: `# ${version}\n\n${text}\n` };
}
