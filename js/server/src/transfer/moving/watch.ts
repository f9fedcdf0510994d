// Follows the Markdown files of a folder.
//
// # Idea
//
// The system tells that something in the folder changed, and not reliably what. Each time the folder is
// looked through: a file counts as changed if its size or its time differs from those that were read. The
// look waits until nothing has changed for a moment, so that a burst of saves is one write.
//
// On Linux each folder is watched by itself: Node watches the files of a recursive watcher there one by one,
// and tells nothing more of a file that was replaced, as many editors save.
//
// # Invariants
//
// - The first look reads every file: what changed while nobody watched is caught up.
// - A folder is watched before its files are looked at. One that is new to a look is looked at once more, for
//   the files that came before it was watched.
// - After an error all files are read again, and the next look tries again.
//
// # Cost
//
// A look asks the system for each file once; a look without changes reads none.

import { type FSWatcher, lstatSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { FileError } from "nous-memory/moving";
import { SettingsError } from "../../refusal.ts";
import { entriesIn, textOf } from "./files.ts";
import type { NoteFile, NotePolicy, NoteSync, Synced } from "./notes.ts";

/** The names of files that are followed. */
export const NOTES = /\.(?:md|markdown)$/i;
/** How long nothing must change before a look, and after how long one comes anyway, in milliseconds. */
const SETTLED = 300;
const MAX_WAIT = 5_000;
/** How often a look comes without news, since some disks tell none. */
const EVERY = 30_000;
/** Whether the system itself tells of the folders within a folder. */
const TELLS_ALL = process.platform !== "linux";
/** Bytes of a file that is read. */
const MAX_BYTES = 16 * 2 ** 20;

/** What watching tells. */
export interface WatchOptions {
  folder: string;
  /** Opens what follows the files. It is called again after an error. */
  open: () => NoteSync;
  /** Called after a look that changed something. */
  told: (synced: Synced, files: number) => void;
  /** Called with a sentence about a file that is not read, or about a look that failed. */
  warn: (why: string) => void;
}

/** A file as a look found it. */
interface Seen {
  modified: number;
  bytes: number;
  isUnread?: boolean;
}

export class Watching {
  readonly #options: WatchOptions;
  #sync: NoteSync | undefined;
  #seen = new Map<string, Seen>();
  /** By folder, and by its number on the disk: another folder may take its place. */
  readonly #watchers = new Map<string, FSWatcher | undefined>();
  #follows = false;
  #timer: NodeJS.Timeout | undefined;
  #every: NodeJS.Timeout | undefined;
  #since: number | undefined;
  #policy: NotePolicy = "newer";
  #isFirst = true;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /**
   * Looks through the folder once. Returns whether the look succeeded.
   *
   * @throws {SettingsError} If the agent knows another folder by this name. Nothing is stored.
   */
  look(): boolean {
    this.#since = undefined;
    const { folder, open, told, warn } = this.#options;
    try {
      this.#sync ??= open();
      const { changed, gone, seen, unread } = this.#changes();
      for (const why of unread) warn(why);
      // A disk that is not there looks like this.
      const count = this.#sync.memoriesOf(gone);
      if (seen.size === 0 && count > 1) {
        warn(
          `${folder} holds no Markdown any more. Its ${count} memories stay until it holds some again.`,
        );
        return true;
      }
      if (this.#isFirst && count > 0) this.#refuseOther(changed, gone, seen);
      if (changed.length > 0 || gone.length > 0) {
        const synced = this.#sync.sync(changed, gone, { now: Date.now(), policy: this.#policy });
        for (const { place, why, isWrong } of synced.left)
          if (isWrong) warn(`${place.file} ${why}`);
        told(synced, changed.length + gone.length);
      }
      this.#seen = seen;
      this.#policy = "overwrite";
      this.#isFirst = false;
      return true;
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      warn(`${folder}: ${(error as Error).message}`);
      this.#sync = undefined;
      this.#seen = new Map();
      this.#policy = "newer";
      return false;
    }
  }

  /** Refuses a folder without any file of those by its name, if memories would go. */
  #refuseOther(
    changed: readonly NoteFile[],
    gone: readonly string[],
    seen: ReadonlyMap<string, Seen>,
  ): void {
    const sync = this.#sync!;
    if (sync.paths().some((path) => seen.has(path))) return;
    const options = { now: Date.now(), policy: this.#policy, writes: false };
    const lost = sync.sync(changed, gone, options).gone;
    if (lost > 0)
      throw new SettingsError(
        `The agent has ${lost} memories of a folder of this name, and none of its files is in ` +
          `${this.#options.folder}. Give this folder another name with --name. Nothing is stored.`,
      );
  }

  #changes() {
    const { folder } = this.#options;
    const changed: NoteFile[] = [];
    const seen = new Map<string, Seen>();
    const unread: string[] = [];
    const { files, folders } = entriesIn(folder);
    if (this.#follows) this.#watch(TELLS_ALL ? [""] : folders);
    for (const path of files) {
      if (!NOTES.test(path)) continue;
      const there = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (there === undefined || !there.isFile()) continue;
      const { size: bytes, mtimeMs: modified } = there;
      const before = this.#seen.get(path);
      seen.set(path, { bytes, modified });
      if (before?.bytes === bytes && before.modified === modified) continue;
      try {
        if (bytes > MAX_BYTES) throw new FileError("is larger than 16 MB, and is not read.");
        const text = textOf(readFileSync(join(folder, path)));
        changed.push({ path, text, modified: Math.round(modified) });
      } catch (error) {
        // Its memories stay as they are.
        if ((error as { code?: string }).code === "ENOENT") seen.delete(path);
        else {
          if (!before?.isUnread) unread.push(`${path}: ${(error as Error).message}`);
          // A file that the system did not give is read again at the next look.
          if (!(error instanceof FileError))
            seen.set(path, { bytes, modified: Number.NaN, isUnread: true });
        }
      }
    }
    const paths = new Set([...this.#seen.keys(), ...this.#sync!.paths()]);
    return { changed, gone: [...paths].filter((path) => !seen.has(path)), seen, unread };
  }

  /** Follows the folder until `stop` is called. */
  start(): void {
    this.#follows = true;
    this.#lookAgain();
    this.#every = setInterval(() => this.#lookAgain(), EVERY);
  }

  /** Watches these folders, and no others. */
  #watch(paths: readonly string[]): void {
    const { folder, warn } = this.#options;
    const there = new Map<string, string>();
    for (const path of paths) {
      const place = join(folder, path);
      const found = lstatSync(place, { throwIfNoEntry: false });
      if (found !== undefined) there.set(`${found.ino} ${path}`, place);
    }
    for (const [key, watcher] of this.#watchers) {
      if (there.has(key)) continue;
      watcher?.close();
      this.#watchers.delete(key);
    }
    for (const [key, place] of there) {
      if (this.#watchers.has(key)) continue;
      this.#watchers.set(key, undefined);
      try {
        const watcher = watch(place, { recursive: TELLS_ALL }, () => this.#soon());
        watcher.on("error", (error) => warn(`${place}: ${error.message}`));
        this.#watchers.set(key, watcher);
        this.#soon();
      } catch (error) {
        // It is looked at all the same, only later.
        warn(`${place}: ${(error as Error).message}`);
      }
    }
  }

  #soon(): void {
    const now = Date.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(SETTLED, this.#since + MAX_WAIT - now));
    this.#timer = setTimeout(() => {
      if (!this.#lookAgain()) this.#soon();
    }, wait);
  }

  /** A refused folder is told each time. */
  #lookAgain(): boolean {
    try {
      return this.look();
    } catch (error) {
      this.#options.warn((error as Error).message);
      return true;
    }
  }

  stop(): void {
    this.#follows = false;
    for (const watcher of this.#watchers.values()) watcher?.close();
    this.#watchers.clear();
    clearTimeout(this.#timer);
    clearInterval(this.#every);
  }
}
