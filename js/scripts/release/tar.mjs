// Archives whose bytes depend on names, contents and one time alone: names are sorted, all belongs to
// root, and the rights of a file are 755 if it is a program, else 644. The format is ustar.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const BLOCK = 512;
const [FILE, LINK, FOLDER] = ["0", "2", "5"];

/**
 * Returns the files below a folder as an archive. `folders` are further empty ones, with rights and
 * owner.
 */
export function archived(root, epoch, folders = []) {
  const entries = [
    ...entriesBelow(root),
    ...folders.map(({ path, mode, owner }) => ({ path: `${path}/`, type: FOLDER, mode, owner })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = entries.flatMap((entry) => {
    const { content = Buffer.alloc(0) } = entry;
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(entry, content.length, epoch), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function entriesBelow(root, inside = "") {
  return readdirSync(join(root, inside)).flatMap((name) => {
    const path = inside + name;
    const found = lstatSync(join(root, path));
    if (found.isSymbolicLink())
      return [{ path, type: LINK, mode: 0o777, target: readlinkSync(join(root, path)) }];
    if (found.isDirectory())
      return [{ path: `${path}/`, type: FOLDER, mode: 0o755 }, ...entriesBelow(root, `${path}/`)];
    const mode = found.mode & 0o100 ? 0o755 : 0o644;
    return [{ path, type: FILE, mode, content: readFileSync(join(root, path)) }];
  });
}

function header({ path, type, mode, owner = 0, target = "" }, size, epoch) {
  const [name, prefix] = split(path);
  const number = (value, length) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  const fields = [
    [0, name],
    [100, number(mode, 8) + number(owner, 8) + number(owner, 8)],
    [124, number(size, 12) + number(epoch, 12)],
    // The sum counts its own place as blanks.
    [148, `        ${type}${target}`],
    [257, "ustar\x0000"],
    [345, prefix],
  ];
  const block = Buffer.alloc(BLOCK);
  for (const [at, text] of fields) block.write(text, at, "utf8");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** Splits a path into a name of at most 100 bytes, and what stands before it. */
function split(path) {
  if (Buffer.byteLength(path) <= 100) return [path, ""];
  const at = path.indexOf("/", path.length - 101);
  const [name, prefix] = [path.slice(at + 1), path.slice(0, at)];
  if (at < 0 || name === "" || Buffer.byteLength(name) > 100 || Buffer.byteLength(prefix) > 155)
    throw new Error(`The path ${path} is too long for an archive.`);
  return [name, prefix];
}
