// `nous-server watch`: memories follow the Markdown files of a folder, as a program of its own.

import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { GENERAL } from "nous-memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Storage } from "../../js/server/src/storage/storage.ts";
import { NoteSync } from "../../js/server/src/transfer/moving/notes.ts";
import { Watching } from "../../js/server/src/transfer/moving/watch.ts";
import { directStores } from "./support/direct-store.ts";
import { databaseOptions, stored } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const newStore = directStores();

/** What the system answers instead of a file. */
const given = vi.hoisted(() => ({ refusal: undefined as Error | undefined }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const readFileSync = (...args: Parameters<typeof real.readFileSync>) => {
    if (given.refusal !== undefined && String(args[0]).endsWith(".md")) throw given.refusal;
    return real.readFileSync(...args);
  };
  return { ...real, readFileSync };
});

interface Watched {
  vault: string;
  dataDir: string;
  write(name: string, text: string): void;
  /** Starts the program. Returns what it has told. */
  watch(
    ...options: string[]
  ): Promise<{ told: () => string; warned: () => string; end(): Promise<unknown> }>;
  once(...options: string[]): Promise<{ told: string; warned: string; code: unknown }>;
  texts(): Promise<string[]>;
}

function watched(): Watched {
  // The disk tells of changes there.
  const folder = temporaryFolder({ onDisk: true });
  const [vault, dataDir] = [join(folder, "vault"), join(folder, "data")];
  mkdirSync(vault);
  const spawned = async (options: readonly string[]) => {
    const place = await databaseOptions(dataDir);
    const args = [PROGRAM, "watch", vault, "--data-dir", dataDir, ...place, ...options];
    const child: ChildProcess = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let [told, warned] = ["", ""];
    child.stdout!.on("data", (text) => {
      told += text;
    });
    child.stderr!.on("data", (text) => {
      warned += text;
    });
    const ended = new Promise((resolve) => child.once("close", (code, by) => resolve(code ?? by)));
    return { child, told: () => told, warned: () => warned, ended };
  };
  return {
    ...{ vault, dataDir },
    write(name, text) {
      mkdirSync(join(vault, name, ".."), { recursive: true });
      writeFileSync(join(vault, name), text);
    },
    async watch(...options) {
      const { child, told, warned, ended } = await spawned(options);
      await expect.poll(() => told() + warned()).toMatch(/Following/);
      return {
        ...{ told, warned },
        end: () => {
          child.kill("SIGTERM");
          return ended;
        },
      };
    },
    async once(...options) {
      const { told, warned, ended } = await spawned([...options, "--once"]);
      const code = await ended;
      return { told: told(), warned: warned(), code };
    },
    async texts() {
      const rows = await stored(
        { dataDir, agent: "default" },
        "SELECT content_title, content_body FROM nodes ORDER BY content_title",
      );
      return rows.map(({ content_title, content_body }) => String(content_body ?? content_title));
    },
  };
}

test("memories follow files that are written, edited, moved and deleted", async () => {
  const { vault, write, watch, texts } = watched();
  write("boat.md", "The boat lies in Oban.");
  const { end, told } = await watch();
  expect(await texts()).toEqual(["The boat lies in Oban."]);
  write("sub/bees.md", "The bees live behind the chapel.");
  await expect.poll(texts).toEqual(["The bees live behind the chapel.", "The boat lies in Oban."]);
  write("boat.md", "The boat lies in Mallaig.");
  await expect
    .poll(texts)
    .toEqual(["The bees live behind the chapel.", "The boat lies in Mallaig."]);
  renameSync(join(vault, "boat.md"), join(vault, "sub", "ship.md"));
  await expect.poll(told).toMatch(/0 added, 0 changed, 0 gone, 1 moved/);
  rmSync(join(vault, "sub", "bees.md"));
  await expect.poll(texts).toEqual(["The boat lies in Mallaig."]);
  expect(await end()).toBe(0);
});

test("files that editors replace, and folders that come and go, are followed", async () => {
  const { vault, write, watch, texts } = watched();
  write("pier.md", "The pier opens at nine.");
  const { end } = await watch();
  const replace = (name: string, text: string) => {
    write("new.tmp", text);
    renameSync(join(vault, "new.tmp"), join(vault, name));
  };
  for (const hour of ["ten", "eleven", "noon"]) {
    replace("pier.md", `The pier opens at ${hour}.`);
    await expect.poll(texts).toEqual([`The pier opens at ${hour}.`]);
  }
  for (const day of ["Monday", "Tuesday"]) {
    write("week/ferry.md", `The ferry rests on ${day}.`);
    await expect.poll(texts).toHaveLength(2);
    replace("week/ferry.md", `The ferry leaves on ${day}.`);
    await expect.poll(texts).toContain(`The ferry leaves on ${day}.`);
    rmSync(join(vault, "week"), { recursive: true });
    await expect.poll(texts).toEqual(["The pier opens at noon."]);
  }
  expect(await end()).toBe(0);
});

test("a burst of saves is one write", async () => {
  const { vault, write, watch } = watched();
  write("log.md", "Line 0.");
  const { end, told } = await watch();
  for (let at = 1; at <= 20; at += 1) appendFileSync(join(vault, "log.md"), ` Line ${at}.`);
  await expect.poll(told).toMatch(/1 changed/);
  await end();
  // The first look, and one for the burst.
  expect(told().match(/files:/g)).toHaveLength(2);
});

test("a restart catches up with what happened meanwhile", async () => {
  const { vault, write, once, texts } = watched();
  write("a.md", "The pier opens at nine.");
  write("b.md", "The ferry leaves at ten.");
  write("c.md", "The library closes at six.");
  expect(await once()).toMatchObject({ code: 0, told: expect.stringContaining("3 added") });
  write("a.md", "The pier opens at eight.");
  renameSync(join(vault, "b.md"), join(vault, "moved.md"));
  rmSync(join(vault, "c.md"));
  const { told } = await once();
  expect(told).toMatch(/0 added, 1 changed, 1 gone, 1 moved/);
  expect(await texts()).toEqual(["The ferry leaves at ten.", "The pier opens at eight."]);
  expect((await once()).told).toMatch(/0 added, 0 changed, 0 gone\n/);
  // A disk that is not there looks empty: nothing is deleted.
  rmSync(join(vault, "a.md"));
  rmSync(join(vault, "moved.md"));
  const empty = await once();
  expect(empty.warned).toMatch(/holds no Markdown any more/);
  expect(await texts()).toHaveLength(2);
});

test("temporary and hidden files, and links, are no notes", async () => {
  const { vault, write, once, texts } = watched();
  write("a.md", "The pier opens at nine.");
  write("../outside/secret.md", "A secret.");
  for (const name of [".a.md.swp", ".hidden.md", "~$a.md", "#a.md", "a.md~", "a.md.tmp", "a.txt"])
    write(name, "Not this.");
  for (const name of [".obsidian/b.md", ".git/c.md", "node_modules/d.md"]) write(name, "Not this.");
  symlinkSync(join(vault, "..", "outside"), join(vault, "folder"));
  symlinkSync(join(vault, "..", "outside", "secret.md"), join(vault, "file.md"));
  symlinkSync(vault, join(vault, "circle"));
  writeFileSync(join(vault, "photo.md"), new Uint8Array(500).fill(0xff));
  const { warned } = await once();
  expect(await texts()).toEqual(["The pier opens at nine."]);
  expect(warned).toMatch(/^photo\.md: This is no text/);
});

test("beside a server, questions find what the notes say now", async () => {
  const { write, watch, dataDir } = watched();
  const { ask } = await start(dataDir);
  write("boat.md", "The boat lies in Oban.");
  const { end } = await watch();
  const answer = async () =>
    (await ask("POST /search", { query: "Where does the boat lie?" })).body.data[0]?.content_title;
  expect(await answer()).toBe("The boat lies in Oban.");
  write("boat.md", "The boat lies in Mallaig.");
  await expect.poll(answer).toBe("The boat lies in Mallaig.");
  await end();
});

describe("a look", () => {
  /** Looks through a folder for the first time, under a name. */
  const looking = (storage: Storage, folder: string, name = "docs") => {
    const warn = vi.fn();
    const options = {
      folder: name,
      format: "markdown",
      preset: GENERAL,
      followsIds: true,
    } as const;
    const open = () => new NoteSync(storage, options);
    return { watching: new Watching({ folder, open, told: () => {}, warn }), warn };
  };
  const written = (files: Record<string, string>) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };
  const titles = ({ nodes }: Storage) =>
    nodes
      .list({}, 100)
      .map(({ content_title }) => content_title)
      .sort();

  test("through another folder of the same name stores nothing", async () => {
    const storage = (await newStore()).open();
    const first = written({ "a.md": "The pier opens at nine.", "b.md": "The boat is in Oban." });
    expect(looking(storage, first).watching.look()).toBe(true);
    const other = written({ "c.md": "Bees live in the chapel." });
    const { watching } = looking(storage, other);
    for (let time = 0; time < 2; time += 1) expect(() => watching.look()).toThrow(/--name/);
    expect(titles(storage)).toEqual(["The boat is in Oban.", "The pier opens at nine."]);
    // Files that only moved are no other folder.
    const moved = written({ "x.md": "The pier opens at nine.", "y.md": "The boat is in Oban." });
    expect(looking(storage, moved).watching.look()).toBe(true);
    expect(titles(storage)).toHaveLength(2);
  });

  test("takes no memories of a name that begins with its own", async () => {
    const storage = (await newStore()).open();
    const [work, notes] = [written({ "a.md": "The pier opens." }), written({ "b.md": "Tea." })];
    looking(storage, work, "notes/work").watching.look();
    expect(looking(storage, notes, "notes").watching.look()).toBe(true);
    expect(looking(storage, work, "notes/work").watching.look()).toBe(true);
    expect(titles(storage)).toEqual(["Tea.", "The pier opens."]);
  });

  test("reads a file again that the system did not give", async () => {
    const storage = (await newStore()).open();
    const folder = written({ "a.md": "The pier opens at nine." });
    const { watching, warn } = looking(storage, folder);
    given.refusal = new Error("EBUSY");
    for (let time = 0; time < 2; time += 1) expect(watching.look()).toBe(true);
    expect(warn.mock.calls).toEqual([["a.md: EBUSY"]]);
    given.refusal = undefined;
    watching.look();
    expect(titles(storage)).toEqual(["The pier opens at nine."]);
  });

  test("at an empty folder keeps the memories of a single file, too", async () => {
    const storage = (await newStore()).open();
    const folder = written({ "a.md": "# One\n\nTea.\n\n# Two\n\nCoffee.\n" });
    looking(storage, folder).watching.look();
    rmSync(join(folder, "a.md"));
    const { watching, warn } = looking(storage, folder);
    expect(watching.look()).toBe(true);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("Its 2 memories stay"));
    expect(titles(storage)).toHaveLength(2);
  });

  test("that fails is told, and the next one reads all files again", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a.md"), "The pier opens at nine.");
    utimesSync(join(folder, "a.md"), 1_770_000_000, 1_770_000_000);
    const nothing = {
      added: 0,
      changed: 0,
      gone: 0,
      moved: 0,
      kept: 0,
      links: 0,
      same: 0,
      left: [],
    };
    const sync = vi.fn(() => nothing);
    sync.mockImplementationOnce(() => expect.fail("the disk is full"));
    const warn = vi.fn();
    const open = vi.fn(() => ({ sync, paths: () => [], memoriesOf: () => 0 }) as never);
    const watching = new Watching({ folder, open, told: () => {}, warn });
    expect(watching.look()).toBe(false);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("the disk is full"));
    expect(watching.look()).toBe(true);
    expect(open).toHaveBeenCalledTimes(2);
    // What was read, and has not changed, is not read again.
    expect(watching.look()).toBe(true);
    expect(sync).toHaveBeenCalledTimes(2);
    expect(sync).toHaveBeenLastCalledWith(
      [{ path: "a.md", text: "The pier opens at nine.", modified: 1_770_000_000_000 }],
      [],
      expect.objectContaining({ policy: "newer" }),
    );
  });
});
