// Output files of backup and export: complete or absent, never over existing files, and never over
// the server's data.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { backUp } from "../../js/server/src/backup.ts";
import { agentFile, agentsDir, keysDir, keysMarker } from "../../js/server/src/settings/paths.ts";
import type { TargetOptions } from "../../js/server/src/storage/target.ts";
import { exportFile } from "../../js/server/src/transfer/commands.ts";
import { some } from "../support/amount.ts";
import { raw } from "./support/existing-database.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const COMMANDS = ["backup", "export"] as const;
const OWN = /is a file of the data directory, or in a folder of its files: name one elsewhere/;

let folder: string;
let elsewhere: string;
let file: string;

function run(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args, "--data-dir", folder], {
    encoding: "utf8",
    cwd: elsewhere,
  });
  return { status, stderr };
}

/** The commands' work, in this process. */
const write = {
  backup: (target: string, options: TargetOptions) => backUp(folder, "default", target, options),
  export: (target: string, options: TargetOptions) =>
    exportFile(
      { dataDir: folder, durability: "full", postgres: undefined },
      "default",
      target,
      options,
    ),
};

const count = () => raw(file).prepare("SELECT count(*) AS nodes FROM nodes").all();

beforeEach(async () => {
  [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  file = agentFile(folder, "default");
  const server = await start(folder, ["--log-level", "error"]);
  await clientOf(server, "default").create();
  await server.end("SIGKILL");
});

describe.each(some(COMMANDS, 1))("%s", (command) => {
  test("refuses names in the data directory that the server needs", { timeout: 60_000 }, () => {
    for (const target of [
      keysDir(folder),
      keysMarker(folder),
      join(folder, "KEYS"),
      `${folder}/./keys/`,
    ]) {
      expect({ target, ...run(command, target) }).toEqual({
        target,
        status: 1,
        stderr: expect.stringMatching(OWN),
      });
      expect(existsSync(target)).toBe(false);
    }
    writeFileSync(keysDir(folder), "");
    expect(run(command, join(elsewhere, "copy"))).toMatchObject({ status: 0 });
    expect(run(command, keysDir(folder), "--force").stderr).toMatch(OWN);
  });

  test("overwrites no file of the data, under any name, even with --force", {
    timeout: 120_000,
  }, () => {
    const [symbolic, hard, dangling, way] = ["symbolic", "hard", "dangling", "way"].map((name) =>
      join(elsewhere, name),
    );
    symlinkSync(file, symbolic!);
    linkSync(file, hard!);
    symlinkSync(agentFile(folder, "not made yet"), dangling!);
    symlinkSync(agentsDir(folder), way!);
    mkdirSync(join(agentsDir(folder), "inner"));
    mkdirSync(keysDir(folder), { recursive: true });
    // The last connection to a database removes its log.
    const files = () => readdirSync(agentsDir(folder)).filter((name) => !/-(wal|shm)$/.test(name));
    const before = files();
    const targets = [
      file,
      `${file}-wal`,
      `${file}-shm`,
      file.replace(/db$/, "index"),
      agentFile(folder, "not made yet"),
      join(agentsDir(folder), "inner", "copy"),
      join(keysDir(folder), "copy"),
      keysMarker(folder),
      join(folder, "Keys-Needed"),
      join(dirname(file), "..", "agents", basename(file)),
      relative(elsewhere, file),
      join(way!, "copy"),
      symbolic!,
      hard!,
      dangling!,
    ];
    // The command's work is done in this process, except for two targets: a path relative to the
    // program's own folder, and a link.
    const byProgram = [relative(elsewhere, file), symbolic!];
    for (const target of targets) {
      for (const force of [false, true]) {
        if (byProgram.includes(target)) {
          expect(run(command, target, ...(force ? ["--force"] : [])), target).toEqual({
            status: 1,
            stderr: expect.stringMatching(OWN),
          });
        } else {
          expect(() => write[command](target, { force }), target).toThrow(OWN);
        }
      }
    }
    expect(files()).toEqual(before);
    expect(count()).toEqual([{ nodes: 1 }]);
  });

  test("overwrites another file only with --force, and leaves no partial file", {
    timeout: 60_000,
  }, () => {
    const target = join(elsewhere, "mine");
    writeFileSync(target, "kept");
    writeFileSync(`${target}.tmp`, "kept, too");
    const refusal = {
      status: 1,
      stderr: expect.stringMatching(/is there already: name another file.*--force/),
    };
    expect(run(command, target)).toEqual(refusal);
    expect(readFileSync(target, "utf8")).toBe("kept");
    expect(run(command, target, "--force")).toEqual({ status: 0, stderr: "" });
    expect(readFileSync(target).length).toBeGreaterThan(100);
    expect(readFileSync(`${target}.tmp`, "utf8")).toBe("kept, too");
    expect(readdirSync(elsewhere).sort()).toEqual(["mine", "mine.tmp"]);
    expect(run(command, elsewhere, "--force")).toEqual({
      status: 1,
      stderr: expect.stringMatching(/is no file/),
    });
    const nowhere = join(elsewhere, "none", "copy");
    expect(run(command, nowhere)).toEqual({
      status: 1,
      stderr: expect.stringMatching(/There is no folder/),
    });
    expect(existsSync(nowhere)).toBe(false);
  });
});
