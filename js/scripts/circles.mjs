// Circles of folders: within each package, imports lead from folder to folder in one direction. Biome
// refuses circles of files; several files of two folders may form a circle without one of files.
//
// The children of a folder are its subfolders and, at the top of a package, its files. Child A leads
// to child B if a file of A imports one of B, types included. No child may lead back to itself.
// Files that stand beside subfolders below the top belong to none of them: a module of a folder's
// name may use the folder, and be used by it.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { at, fail, root } from "./lib.mjs";

const PACKAGES = ["embedder", "engine", "integrations", "memory", "minilm", "page", "server"];
const SOURCE = /\.tsx?$/;
/** A relative path after `from`, `import` or `import(`. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/**
 * Returns the circles of folders below one, each as the imports that close it, in words.
 *
 * @param source The folder of a package's sources.
 */
export function circlesIn(source) {
  const levels = new Map();
  for (const [from, to] of importsIn(source)) {
    const [a, b] = [from.split("/"), to.split("/")];
    let depth = 0;
    while (a[depth] === b[depth] && depth < a.length - 1) depth += 1;
    const isFile = [a, b].some((path) => path.length - 1 === depth);
    if (a[depth] === b[depth] || (isFile && depth > 0)) continue;
    const level = a.slice(0, depth).join("/");
    const steps = levels.get(level) ?? new Map();
    levels.set(level, steps);
    const known = steps.get(a[depth]) ?? new Map();
    steps.set(a[depth], known);
    if (!known.has(b[depth])) known.set(b[depth], `${from} imports ${to}`);
  }
  return [...levels.values()].flatMap(circlesAmong);
}

/** Returns the imports of a folder's files among each other: pairs of paths, relative to it. */
function importsIn(source) {
  const files = readdirSync(source, { recursive: true })
    .filter((file) => SOURCE.test(file))
    .map((file) => file.split(sep).join("/"));
  const known = new Set(files);
  return files.flatMap((from) =>
    Array.from(readFileSync(join(source, from), "utf8").matchAll(IMPORTED), ([, path]) => [
      from,
      posix.join(dirname(from), path),
    ]).filter(([, to]) => known.has(to)),
  );
}

/** Returns the circles of one level. Each child is in one of them at most. */
function circlesAmong(steps) {
  const circles = [];
  const done = new Set();
  for (const start of steps.keys()) {
    const path = done.has(start) ? undefined : wayBack(steps, start);
    if (path === undefined) continue;
    for (const child of path) done.add(child);
    circles.push(path.map((child, place) => steps.get(child).get(path[(place + 1) % path.length])));
  }
  return circles;
}

/** Returns the shortest way from a child back to itself; undefined if there is none. */
function wayBack(steps, start) {
  const before = new Map([[start, undefined]]);
  for (const child of before.keys()) {
    for (const next of steps.get(child)?.keys() ?? []) {
      if (next === start) {
        const path = [];
        for (let one = child; one !== undefined; one = before.get(one)) path.unshift(one);
        return path;
      }
      if (!before.has(next)) before.set(next, child);
    }
  }
  return undefined;
}

/** Prints the circles of all packages. Returns whether there are none. */
export function hasNoCircles() {
  const circles = PACKAGES.map((name) => at("js", name, "src")).flatMap((source) =>
    circlesIn(source).map((steps) => {
      const lines = steps.map((step) => `\n  ${step}`).join("");
      return `Folders of ${relative(root, source)} import each other in a circle:${lines}`;
    }),
  );
  for (const circle of circles) console.error(circle);
  return circles.length === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href && !hasNoCircles())
  fail("Move what both folders need into a folder that imports neither.");
