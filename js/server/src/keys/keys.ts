// API keys: their rights, and their files. Each key is a file of its own in the data directory, so
// that concurrent changes need no lock. The file holds the SHA-256 of the key, which reveals
// nothing about a random value of 256 bits. With PostgreSQL keys are rows: see postgres-keys.ts.

import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SCOPES, type Scope } from "../api/operation.ts";
import { KEY_ID, newId } from "../ids.ts";
import { keysDir, keysMarker } from "../settings/paths.ts";
import { syncFolder, writeWhole } from "../storage/files.ts";
import { makeFolderOf } from "../storage/make-folder.ts";

const KEY_BYTES = 32;
/** Marks a text as a key of this server, for people and for secret scanners. */
export const PREFIX = "nous_";
const ENDING = ".json";

/** The rights of a key. */
export interface Rights {
  /** The agents whose memories the key opens. `all` includes future agents. */
  agents: "all" | readonly string[];
  scopes: readonly Scope[];
  /** Whether requests with the key may create agents. */
  creates_agents: boolean;
}

/** A stored key. */
export interface Key extends Rights {
  /** The name of the key in lists and logs, which must not show the key. */
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

/** Thrown if keys cannot be read, or if there is no key of an id. The message is a sentence. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}

/** Returns the SHA-256 of a key. */
export const digestOf = (key: string): Buffer => createHash("sha256").update(key).digest();

/** Returns a new random key, and what is stored of it. */
export function newKey({ agents, scopes, creates_agents }: Rights): { key: string; stored: Key } {
  const key = PREFIX + randomBytes(KEY_BYTES).toString("base64url");
  const sha256 = digestOf(key).toString("hex");
  const created_at = new Date().toISOString();
  return { key, stored: { id: newId("k"), created_at, agents, scopes, creates_agents, sha256 } };
}

/** Creates a key. Returns its text, which is stored nowhere. */
export function createKey(dataDir: string, rights: Rights): { key: string; id: string } {
  const { key, stored } = newKey(rights);
  storeKey(dataDir, stored);
  return { key, id: stored.id };
}

/** Writes the file of a key. */
export function storeKey(dataDir: string, { id, ...kept }: Key): void {
  makeFolderOf(dataDir, keysDir(dataDir));
  needKeys(dataDir);
  writeWhole(fileOf(dataDir, id), [Buffer.from(`${JSON.stringify(kept, null, 2)}\n`)]);
}

/** The hint for messages: how to run a server deliberately without keys. */
export const HOW_WITHOUT = "`nous-server keys off` and a restart admit requests without a key";
const MARK = `Every request needs a key, even if the folder of the keys is lost: ${HOW_WITHOUT}.\n`;

/**
 * Returns whether every request needs a key: from the first key on, until `needNoKeys`.
 *
 * @throws {KeyError} If that cannot be read.
 */
export function areKeysNeeded(dataDir: string): boolean {
  const marker = keysMarker(dataDir);
  return unlessGone(marker, () => statSync(marker)) !== undefined;
}

/**
 * Makes every request need a key from now on, also after a restart, and if the folder of the keys
 * is lost.
 */
export function needKeys(dataDir: string): void {
  if (!areKeysNeeded(dataDir)) writeWhole(keysMarker(dataDir), [Buffer.from(MARK)]);
}

/**
 * Lets servers that start from now on work without keys. Returns whether keys were needed before.
 *
 * @throws {KeyError} If there still are keys.
 */
export function needNoKeys(dataDir: string): boolean {
  refuseIfAny(readKeys(dataDir));
  const wereNeeded = areKeysNeeded(dataDir);
  rmSync(keysMarker(dataDir), { force: true });
  if (wereNeeded) syncFolder(dataDir);
  return wereNeeded;
}

/** @throws {KeyError} If there are keys. */
export function refuseIfAny([key]: readonly Pick<Key, "id">[]): void {
  if (key !== undefined)
    throw new KeyError(`there still are keys, such as ${key.id}: revoke them first`);
}

/**
 * Returns all keys, the oldest first.
 *
 * @throws {KeyError} If a key cannot be read, or its file was altered.
 */
export function readKeys(dataDir: string): Key[] {
  const folder = keysDir(dataDir);
  const keys = namesIn(folder).flatMap((name) => {
    const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : "";
    return KEY_ID.test(id) ? (readKey(join(folder, name), id) ?? []) : [];
  });
  return keys.sort((a, b) => a.created_at.localeCompare(b.created_at));
}

const namesIn = (folder: string): string[] => unlessGone(folder, () => readdirSync(folder)) ?? [];

/** Returns undefined if the key has been revoked meanwhile. */
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

/**
 * Returns undefined if the file is missing. Any other read error is thrown: an unreadable key must
 * not count as no key.
 */
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
 * Revokes a key. Running servers refuse it from now on.
 *
 * @throws {KeyError} If there is no key of this id.
 */
export function revokeKey(dataDir: string, id: string): void {
  const file = fileOf(dataDir, id);
  if (!KEY_ID.test(id) || !existsSync(file))
    throw new KeyError(`there is no key ${id} in ${dataDir}`);
  rmSync(file);
  syncFolder(keysDir(dataDir));
}

const fileOf = (dataDir: string, id: string): string => join(keysDir(dataDir), id + ENDING);
