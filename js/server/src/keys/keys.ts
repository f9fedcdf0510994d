// Keys by which clients are known: what one may do, and where they are kept. Each is a file of its
// own in the data directory, so that making one and revoking another at the same time need no lock.
// What is kept of a key is its SHA-256: that of a random value of 256 bits says nothing about it.

import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SCOPES, type Scope } from "../api/operation.ts";
import { newId } from "../ids.ts";
import { keysDir, keysMarker } from "../settings/paths.ts";
import { syncFolder, writeWhole } from "../storage/files.ts";

const KEY_BYTES = 32;
/** Tells people, and programs that look for keys that got lost, whose it is. */
const PREFIX = "nous_";
const ID = /^k_[0-9a-z]{12}$/;
const ENDING = ".json";

/** What somebody may do. */
export interface Rights {
  /** Whose memories; `all` are those to come, too. */
  agents: "all" | readonly string[];
  scopes: readonly Scope[];
  /** Whether agents come to be by it. */
  creates_agents: boolean;
}

/** A key as it is kept. */
export interface Key extends Rights {
  /** What it is called where it must not be shown. */
  id: string;
  created_at: string;
  sha256: string;
}

const keyFile = z.object({
  created_at: z.string(),
  agents: z.union([z.literal("all"), z.array(z.string()).min(1)]),
  scopes: z.array(z.enum(SCOPES)).min(1),
  creates_agents: z.boolean(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Keys cannot be read, or there is none of a name; the message is a sentence. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}

export const digestOf = (key: string): Buffer => createHash("sha256").update(key).digest();

/** Makes a key. Its text is in the answer and nowhere else. */
export function createKey(dataDir: string, rights: Rights): { key: string; id: string } {
  const key = PREFIX + randomBytes(KEY_BYTES).toString("base64url");
  const id = newId("k");
  const { agents, scopes, creates_agents } = rights;
  const sha256 = digestOf(key).toString("hex");
  const kept = { created_at: new Date().toISOString(), agents, scopes, creates_agents, sha256 };
  mkdirSync(keysDir(dataDir), { recursive: true, mode: 0o700 });
  needKeys(dataDir);
  writeWhole(fileOf(dataDir, id), [Buffer.from(`${JSON.stringify(kept, null, 2)}\n`)]);
  return { key, id };
}

/** How a server without keys is run deliberately where keys are needed. */
export const HOW_WITHOUT = "`nous-server keys off` and a restart let everybody in";
const MARK = `Nobody comes in without a key, even if the folder of the keys is lost: ${HOW_WITHOUT}.\n`;

/**
 * Whether nobody comes in without a key: from the first key on, until `needNoKeys`.
 *
 * @throws {KeyError} where that cannot be found out.
 */
export function areKeysNeeded(dataDir: string): boolean {
  const marker = keysMarker(dataDir);
  return unlessGone(marker, () => statSync(marker)) !== undefined;
}

/**
 * From now on nobody comes in without a key, after a restart and without the folder of the keys,
 * too.
 */
export function needKeys(dataDir: string): void {
  if (!areKeysNeeded(dataDir)) writeWhole(keysMarker(dataDir), [Buffer.from(MARK)]);
}

/**
 * A server that starts from now on needs no keys; whether they were needed.
 *
 * @throws {KeyError} where there still are keys.
 */
export function needNoKeys(dataDir: string): boolean {
  const [key] = readKeys(dataDir);
  if (key !== undefined)
    throw new KeyError(`there still are keys, such as ${key.id}: revoke them first`);
  const wereNeeded = areKeysNeeded(dataDir);
  rmSync(keysMarker(dataDir), { force: true });
  if (wereNeeded) syncFolder(dataDir);
  return wereNeeded;
}

/**
 * All keys, the oldest first.
 *
 * @throws {KeyError} where one of them cannot be read, or is not as it was written.
 */
export function readKeys(dataDir: string): Key[] {
  const folder = keysDir(dataDir);
  const keys = namesIn(folder).flatMap((name) => {
    const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : "";
    return ID.test(id) ? (readKey(join(folder, name), id) ?? []) : [];
  });
  return keys.sort((a, b) => a.created_at.localeCompare(b.created_at));
}

const namesIn = (folder: string): string[] => unlessGone(folder, () => readdirSync(folder)) ?? [];

/** Undefined where it has been revoked meanwhile. */
function readKey(file: string, id: string): Key | undefined {
  const text = unlessGone(file, () => readFileSync(file, "utf8"));
  if (text === undefined) return undefined;
  const { data } = keyFile.safeParse(parsed(text));
  if (data === undefined)
    throw new KeyError(
      `The key file ${file} is damaged: revoke it, and create a key in its place.`,
    );
  return { id, ...data };
}

/** What cannot be read for another reason than that it is not there must not pass for no key. */
function unlessGone<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new KeyError(`${path} cannot be read: ${message}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Revokes a key: servers that run refuse it from now on.
 *
 * @throws {KeyError} where there is none of that id.
 */
export function revokeKey(dataDir: string, id: string): void {
  const file = fileOf(dataDir, id);
  if (!ID.test(id) || !existsSync(file)) throw new KeyError(`there is no key ${id} in ${dataDir}`);
  rmSync(file);
  syncFolder(keysDir(dataDir));
}

const fileOf = (dataDir: string, id: string): string => join(keysDir(dataDir), id + ENDING);
