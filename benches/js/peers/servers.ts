// The servers of the contest beside libraries and databases: how each is filled and started.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NOW } from "../../../js/reference/inputs.ts";
import { databaseIn } from "../agent-files.ts";
import { listening, NOUS, RunningServer, startContestant } from "../http-contestants.ts";
import { fillDatabase, textRowOf } from "../http-inputs.ts";
import { type Data, DIMENSIONS, LATE, LIMIT, type Memory, PATIENCE, vectorAt } from "./data.ts";
import type { Opened } from "./measure.ts";

/** A server, which is filled and opened in a folder. */
export interface Server {
  fill(data: Data, folder: string): Promise<void>;
  open(data: Data, folder: string): Promise<Opened>;
}

/** Rows of a request. */
const ROWS = 1_000;

export const SERVERS: Readonly<Record<string, Server>> = {
  "nous-server": {
    async fill(data, folder) {
      const end = performance.now() + PATIENCE * 60_000;
      const server = await startNous(folder);
      try {
        for await (const batch of data.memories(ROWS)) {
          await server.ask("POST /import", { rows: batch.map(rowOf) });
          if (performance.now() > end) throw new Error(LATE);
        }
        await server.ask("POST /nodes/backfill-embeddings", {});
      } finally {
        await server.stop();
      }
    },
    async open(data, folder) {
      const { fresh, plan } = data;
      const server = await startNous(folder);
      return openedOn(
        server,
        (question) => ({ query: plan.questions[question] }),
        (place) => newOf(fresh[place]!),
      );
    },
  },
  plain: {
    async fill(data, folder) {
      const file = databaseIn(folder);
      mkdirSync(dirname(file), { recursive: true });
      const vectors = data.vectors();
      const memories: Memory[] = [];
      for await (const batch of data.memories()) memories.push(...batch);
      const size = { memories: memories.length, dimensions: DIMENSIONS, edges: 0 };
      fillDatabase(
        file,
        size,
        Date.now(),
        (place) => textRowOf(memories[place]!, NOW),
        (place) => new Uint8Array(vectorAt(vectors, place).slice().buffer),
      );
    },
    async open(data, folder) {
      const { fresh, added, asked } = data;
      const { questions } = data.plan;
      const server = await startContestant("plain", folder, databaseIn(folder));
      return openedOn(
        server,
        (question) => ({
          query: questions[question],
          embedding: Array.from(vectorAt(asked, question)),
        }),
        (place) => ({ ...newOf(fresh[place]!), embedding: Array.from(vectorAt(added, place)) }),
      );
    },
  },
};

async function startNous(folder: string): Promise<RunningServer> {
  const quiet = ["--port", "0", "--data-dir", folder, "--log-level", "error"];
  const args = [NOUS, "serve", ...quiet, "--embeddings-model", `english-${DIMENSIONS}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new RunningServer(child, await listening(child));
}

function openedOn(
  server: RunningServer,
  questionOf: (question: number) => object,
  memoryOf: (place: number) => object,
): Opened {
  return {
    async ask(question) {
      const { body } = await server.ask("POST /search", { ...questionOf(question), limit: LIMIT });
      return body.data.length;
    },
    async write(place) {
      await server.ask("POST /nodes", memoryOf(place));
    },
    resident() {
      const status = readFileSync(join("/proc", `${server.child.pid}`, "status"), "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024;
    },
    close: () => server.stop(),
  };
}

const newOf = ({ title, text }: Memory) => ({
  type: "note",
  content_title: title,
  content_body: text,
});

function rowOf({ id, title, text, created_at }: Memory) {
  const created = new Date(created_at).toISOString();
  const times = { created_at: created, provenance_created_at: created };
  return {
    ...{ kind: "node", id, type: "note", content_title: title, content_body: text },
    ...times,
  };
}
