// Servers of the measurements: each has a folder of its own, default settings, and a clock that
// starts when its questions are asked.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listening, NOUS, RunningServer } from "../js/http-contestants.ts";
import type { QuestionSet } from "./question-set.ts";

interface OwnServer {
  /** The time at which the clock of the server starts, in milliseconds since 1970. */
  readonly now: number;
  /** Options of the command line beside those of every server. */
  readonly options?: readonly string[];
  /** Lines of the server's YAML file. Default: none. */
  readonly settings?: string | undefined;
}

/** Runs `work` with a server of its own, and stops the server afterwards. */
export async function withServer(
  { now, options = [], settings }: OwnServer,
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nous-quality-"));
  const file = join(folder, "nous.yaml");
  if (settings !== undefined) writeFileSync(file, settings);
  const own = settings === undefined ? [] : ["--config", file];
  const byDefault = ["--port", "0", "--data-dir", join(folder, "data"), "--log-level", "error"];
  const clock = `const { now } = Date; Date.now = () => now() + ${now - Date.now()};`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(clock)}`];
  const program = [...node, NOUS, "serve", ...byDefault, ...options, ...own];
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const server = new RunningServer(child, await listening(child));
    try {
      await work(server);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The most memories of one request, and UTF-16 units of a title that is taken from a text. */
const AT_ONCE = 100;
const TITLE = 100;

/**
 * Creates the memories of a set as episodes, oldest first. The cluster of a memory is its session.
 * A memory without a title gets the start of its text, since the server asks for one. Returns the
 * ids on the server by those of the set.
 */
export async function storeSet(
  server: RunningServer,
  { memories }: QuestionSet,
): Promise<ReadonlyMap<string, string>> {
  const inOrder = memories.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  const ids = new Map(inOrder.map(({ id }, place) => [id, `m${place}`]));
  const nodes = inOrder.map(({ id, text, title, created_at, cluster, event_time }) => ({
    ...{
      id: ids.get(id),
      type: "episode",
      content_title: title ?? text.slice(0, TITLE),
      content_body: text,
    },
    ...{ created_at, session: cluster, event_time },
  }));
  for (let from = 0; from < nodes.length; from += AT_ONCE)
    await server.ask("POST /nodes/batch", { items: nodes.slice(from, from + AT_ONCE) });
  return ids;
}
