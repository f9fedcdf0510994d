// Opens what a release has left: unpacks its folder, starts a server of this version at that time,
// and compares answers.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { type Answer, type Running, start } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Fixture, Told } from "./fixture.ts";

const RELEASED = dirname(fileURLToPath(import.meta.url));
const CLOCK = pathToFileURL(join(RELEASED, "clock.mjs")).href;

/** The versions that have left a folder. */
export const VERSIONS: readonly string[] = readdirSync(RELEASED).filter((name) => /^\d/.test(name));

/** Fields that pass with time, or that tell of one request. */
const PASSING = new Set(["neural_retrievability", "retrievability"]);

export interface Opened {
  folder: string;
  data: string;
  fixture: Fixture;
  /** How a program is run at the time when the folder was left. */
  then: { node: readonly string[]; env: NodeJS.ProcessEnv };
}

/** Unpacks the folder of a version. */
export function unpacked(version: string): Opened {
  const folder = temporaryFolder();
  const from = join(RELEASED, version);
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const to = join(folder, path.slice(from.length).replace(/\.gz$/, ""));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, gunzipSync(readFileSync(path)), { mode: 0o600 });
  }
  const fixture = JSON.parse(readFileSync(join(folder, "answers.json"), "utf8")) as Fixture;
  const ahead = String(fixture.at - Date.now());
  const then = { node: ["--import", CLOCK], env: { CLOCK_AHEAD: ahead } };
  return { folder, data: join(folder, "data"), fixture, then };
}

/** Starts a server of this version, with a release's presets, at the time when the data was left. */
export const serve = (
  { folder, then }: Opened,
  data: string,
  ...options: string[]
): Promise<Running> =>
  start(
    data,
    ["--presets-dir", join(folder, "presets"), "--learning", "on", ...options],
    "test",
    then,
  );

/** A header holds bytes, here those of UTF-8. */
export const as = (agent: string, key: string): Record<string, string> => ({
  "x-nous-agent": Buffer.from(agent).toString("latin1"),
  authorization: `Bearer ${key}`,
});

const lasting = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value) => (PASSING.has(name) ? undefined : value)));

function expectSame({ call, body, answer: old }: Told, { status, body: now }: Answer): void {
  const asked = `${call} ${JSON.stringify(body)}`;
  expect(status, asked).toBeLessThan(300);
  if (!call.startsWith("POST /search"))
    expect(lasting(now), asked).toMatchObject(lasting(old) as object);
  else {
    // Later versions may weigh evidence in another way.
    const ids = now.data.map(({ id }: { id: string }) => id);
    expect(ids, asked).toContain(old.data[0].id);
  }
}

/** Expects that a server answers as the version that left the data, knows its keys, and takes writes. */
export async function expectAsThen(server: Running, { told, keys, rows }: Fixture): Promise<void> {
  expect(told.length).toBeGreaterThan(300);
  for (const one of told)
    expectSame(
      one,
      await server.ask(one.call, one.body, { ...as(one.agent, keys.all), ...one.headers }),
    );
  expect((await server.ask("GET /graph")).status).toBe(401);
  expect((await server.ask("GET /graph", undefined, as("trader", keys.trader))).status).toBe(200);
  expect((await server.ask("GET /graph", undefined, as("default", keys.trader))).status).toBe(403);
  const listed = await server.ask("GET /agents", undefined, as("default", keys.all));
  expect(listed.body.data.map(({ agent }: { agent: string }) => agent).sort()).toEqual(
    Object.keys(rows).sort(),
  );
  for (const agent of Object.keys(rows)) {
    const headers = as(agent, keys.all);
    const body = { type: "note", content_title: "Written by a later version" };
    const made = await server.ask("POST /nodes", body, headers);
    expect(made.status, agent).toBe(201);
    const { id } = made.body;
    const found = await server.ask("POST /search", { query: body.content_title }, headers);
    expect(found.body.data[0].id, agent).toBe(id);
    expect((await server.ask(`DELETE /nodes/${id}`, undefined, headers)).status).toBe(200);
  }
  const { call, headers } = told.find(({ headers }) => headers !== undefined)!;
  const other = { type: "note", content_title: "Another memory with the same key" };
  const refused = await server.ask(call, other, { ...as("default", keys.all), ...headers });
  expect(refused.status).toBe(422);
}
