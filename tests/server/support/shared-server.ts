// One server for all tests of a file. Each test has an agent of its own.

import { afterAll, beforeAll, expect } from "vitest";
import { agentFile } from "../../../js/server/src/settings/paths.ts";
import { stored } from "./on-postgres.ts";
import { type Answer, type Running, start } from "./server-process.ts";
import { makeFolder, removeFolder } from "./temporary-folder.ts";

export const LESSON = {
  type: "concept",
  subtype: "custom:lesson",
  content_title: "Funding squeeze",
  content_body: "Extremes revert",
};

export interface Client {
  agent: string;
  ask(call: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Creates a memory, by default a lesson, and returns it. */
  create(fields?: object): Promise<Answer["body"]>;
  link(
    source_id: string,
    target_id: string,
    type?: string,
    fields?: object,
  ): Promise<Answer["body"]>;
  /** Returns the ids that a search found. */
  search(query: string, fields?: object): Promise<string[]>;
  /** Returns the path of the agent's database. */
  file(): string;
  /** Runs a statement on the agent's rows, in a file or in PostgreSQL; see `stored`. */
  stored(statement: string, ...values: (string | number)[]): Promise<Record<string, unknown>[]>;
}

/** Starts the server before the tests of a file. `client()` returns a client of a new agent. */
export function sharedServer(options: readonly string[] = []): {
  server(): Running;
  client(): Client;
} {
  let running: Running;
  let agents = 0;
  const folder = makeFolder();
  beforeAll(async () => {
    running = await start(folder, options, "file");
  });
  afterAll(async () => {
    await running.end("SIGKILL");
    removeFolder(folder);
  });
  return { server: () => running, client: () => clientOf(running, `agent ${++agents}`) };
}

export function clientOf(server: Running, agent: string): Client {
  const ask: Client["ask"] = (call, body, headers = {}) =>
    server.ask(call, body, { "x-nous-agent": agent, ...headers });
  const created = async (call: string, fields: object) => {
    const { status, body } = await ask(call, fields);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  return {
    agent,
    ask,
    create: (fields = {}) => created("POST /nodes", { ...LESSON, ...fields }),
    link: (source_id, target_id, type = "causes", fields = {}) =>
      created("POST /edges", { source_id, target_id, type, ...fields }),
    search: async (query, fields = {}) => {
      const { status, body } = await ask("POST /search", { query, ...fields });
      expect({ status, body }).toMatchObject({ status: 200 });
      return body.data.map(({ id }: { id: string }) => id);
    },
    file: () => agentFile(server.dataDir, agent),
    stored: (statement, ...values) =>
      stored({ dataDir: server.dataDir, agent }, statement, ...values),
  };
}

/** Lets a memory expire, and waits until it has. */
export async function expire(own: Client, id: string): Promise<void> {
  const expires_at = new Date(Date.now() + 300).toISOString();
  const { status, body } = await own.ask(`PATCH /nodes/${id}`, { expires_at });
  if (status !== 200) throw new Error(JSON.stringify(body));
  await new Promise((resolve) => setTimeout(resolve, 400));
}
