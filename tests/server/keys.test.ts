// Access: keys and their rights, pages of other origins, and the addresses where the server
// listens.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { NousClient, NousRequestError } from "nous-server/client";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { OperationShape, Scope } from "../../js/server/src/api/operation.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import { FileRing } from "../../js/server/src/keys/file-ring.ts";
import { createKey, type Rights, readKeys, revokeKey } from "../../js/server/src/keys/keys.ts";
import { keyAmong } from "../../js/server/src/keys/ring.ts";
import { createLog } from "../../js/server/src/log.ts";
import { agentFile, keysDir, keysMarker } from "../../js/server/src/settings/paths.ts";
import { expectSoon, keyIn, revokeIn } from "./support/keys.ts";
import { databaseOptions, testOnFiles } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const OPERATIONS: Record<string, OperationShape> = { ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS };
/** Every operation with one call, on objects that do not exist. */
const CALLS = Object.entries(OPERATIONS).map(([name, operation]) => ({
  name,
  operation,
  call: `${operation.method.toUpperCase()} ${operation.path.replace("{agent}", "alice").replace(/\{\w+\}/g, "x_none")}`,
}));

const PAGE = "https://app.example.org";
const HOST = "memory.example.org";
const { server } = sharedServer([
  ...["--log-level", "trace"],
  ...["--cors-origins", PAGE, "--allowed-hosts", `${HOST}, other.example.org`],
]);

const ALL: Rights = { agents: "all", scopes: ["memory", "admin"], creates_agents: true };
const keyFor = (rights: Partial<Rights> = {}) => keyIn(server().dataDir, { ...ALL, ...rights });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const as = (agent: string, key: string) => ({ "x-nous-agent": agent, ...bearer(key) });

/** Headers that `fetch` does not let callers set. */
function exchange(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(`${server().url}${path}`, { headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    });
    asking.on("error", reject);
    asking.end();
  });
}

/** Runs the program to its end; a server that starts is stopped, and its status is null. */
function run(...args: string[]) {
  const options = { encoding: "utf8", timeout: 20_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], options);
  return { status, stdout, stderr };
}

/** Returns the options by which a program works on the place of a data directory. */
const placeOf = async (folder: string) => [
  "--data-dir",
  folder,
  ...(await databaseOptions(folder)),
];

let master: string;
beforeAll(async () => {
  master = (await keyFor()).key;
  await expectSoon(async () => (await server().ask("GET /health")).status, 401);
});

describe("keys", () => {
  testOnFiles(
    "are random values of 256 bits, and a file for their owner keeps their SHA-256",
    () => {
      const folder = temporaryFolder();
      const made = Array.from({ length: 20 }, () => createKey(folder, ALL));
      expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
      for (const { key, id } of made) {
        const [, value] = /^nous_([\w-]+)$/.exec(key)!;
        expect(Buffer.from(value!, "base64url")).toHaveLength(32);
        const file = join(keysDir(folder), `${id}.json`);
        if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
        const text = readFileSync(file, "utf8");
        expect(text).toContain(createHash("sha256").update(key).digest("hex"));
        expect(text).not.toContain(value);
      }
      expect(readdirSync(keysDir(folder))).toHaveLength(made.length);
    },
  );

  test("are created, listed and revoked by command, and shown once", async () => {
    const at = await placeOf(temporaryFolder());
    for (const whom of [[], ["--all-agents", "--agents", "a"], ["--agents", ""]]) {
      const { status, stdout, stderr } = run("keys", "create", ...at, ...whom);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/--all-agents|not a valid name of an agent/);
    }
    const made = run(
      "keys",
      "create",
      ...at,
      "--agents",
      "alice",
      "bob b",
      "--scopes",
      "admin",
      "--creates-agents",
    );
    const key = made.stdout.trim();
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^nous_[\w-]{43}\n$/) });
    const [id] = /k_[0-9a-z]{12}/.exec(made.stderr)!;
    const listed = run("keys", "list", ...at).stdout;
    expect(listed).toMatch(/^k_\w+\t20\S+Z\t"alice" "bob b", admin, creates agents\n$/);
    expect(listed).toContain(id);
    expect(made.stderr + listed + run("config", ...at).stdout).not.toContain(key);
    expect(run("keys", "revoke", "k_000000000000", ...at)).toMatchObject({ status: 1, stdout: "" });
    expect(run("keys", "revoke", `../keys/${id}`, ...at)).toMatchObject({ status: 1, stdout: "" });
    expect(run("keys", "revoke", id, ...at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("last one"),
    });
    expect(run("keys", "list", ...at)).toMatchObject({ status: 0, stdout: "" });
  });

  testOnFiles("are compared by their whole text", async () => {
    const folder = temporaryFolder();
    const made = Array.from({ length: 5 }, () => createKey(folder, ALL));
    const log = createLog({ log_level: "silent", log_format: "json" });
    const known = new FileRing(folder, log).current()!;
    for (const { key, id } of made) {
      expect(keyAmong(known, key)?.id).toBe(id);
      for (const wrong of [
        "",
        key.slice(0, -1),
        `${key}a`,
        key.toUpperCase(),
        key.slice("nous_".length),
      ]) {
        expect(keyAmong(known, wrong)).toBeUndefined();
      }
      expect(keyAmong(known, createHash("sha256").update(key).digest("hex"))).toBeUndefined();
    }
  });

  testOnFiles("are read again after a change, however long they had not changed", async () => {
    const folder = temporaryFolder();
    const first = createKey(folder, ALL);
    const { ctimeMs } = statSync(keysDir(folder));
    await expect.poll(() => Date.now() - ctimeMs).toBeGreaterThan(50);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const ring = new FileRing(folder, createLog({ log_level: "silent", log_format: "json" }));
    expect(ring.current()).toHaveLength(1);
    const second = createKey(folder, ALL);
    expect(
      ring
        .current()
        ?.map(({ key }) => key.id)
        .sort(),
    ).toEqual([first.id, second.id].sort());
  });
});

testOnFiles(
  "a key whose file is changed in place has its new rights within five seconds",
  async () => {
    const folder = temporaryFolder();
    const { id } = createKey(folder, ALL);
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const ring = new FileRing(folder, createLog({ log_level: "silent", log_format: "json" }));
    expect(ring.current()?.[0]?.key.agents).toBe("all");
    const file = join(keysDir(folder), `${id}.json`);
    writeFileSync(file, readFileSync(file, "utf8").replace('"all"', '["alice"]'));
    vi.advanceTimersByTime(5_000);
    expect(ring.current()?.[0]?.key.agents).toEqual(["alice"]);
    writeFileSync(file, "{}");
    vi.advanceTimersByTime(5_000);
    expect(ring.current()).toEqual([]);
  },
);

describe("once a key exists", () => {
  test("every operation and every unknown route refuses a request without a key", async () => {
    const others = [
      "GET /openapi.json",
      "GET /metrics",
      "GET //metrics",
      "GET /none",
      "PUT /nodes",
      "GET //",
      "GET //v1",
    ];
    for (const call of [...CALLS.map(({ call }) => call), ...others]) {
      const { status, body, headers } = await server().ask(call);
      expect({ call, status, body }).toEqual({
        call,
        status: 401,
        body: { error: expect.stringContaining("Bearer") },
      });
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
    for (const call of ["GET //livez", "GET //readyz"])
      expect((await server().ask(call)).status).toBe(200);
  });

  test("every operation refuses an invalid key, and no answer shows it", async () => {
    const { key, id } = await keyFor();
    const sha256 = createHash("sha256").update(key).digest("hex");
    const wrong = [key.slice(0, -1), `${key}x`, key.slice(1), sha256, id, "null", "nous_"].map(
      (it) => `Bearer ${it}`,
    );
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      key,
      `Basic ${key}`,
      `Bearer ${key} ${key}`,
      ...wrong,
    ]) {
      const { status, body, headers } = await server().ask("GET /health", undefined, {
        authorization,
      });
      expect({ authorization, status }).toEqual({ authorization, status: 401 });
      expect(JSON.stringify(body)).not.toContain(key.slice(0, -1));
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
    expect((await server().ask(`GET /health?key=${key}&access_token=${key}`)).status).toBe(401);
    expect(
      (await server().ask("GET /health", undefined, { authorization: `bearer  ${key}` })).status,
    ).toBe(200);
  });

  test("a large body does not change the decision", async () => {
    const body = JSON.stringify({ ...LESSON, content_body: "x".repeat(900_000) });
    expect((await server().ask("POST /nodes", body)).status).toBe(401);
    expect((await server().ask("POST /nodes", body, as("large", master))).status).toBe(201);
  });

  test("a key works once it is created, and is refused once it is revoked, without a restart", async () => {
    for (let turn = 0; turn < 10; turn++) {
      const { key, id } = await keyFor();
      const status = async () => (await server().ask("GET /health", undefined, bearer(key))).status;
      expect(await status()).toBe(200);
      await revokeIn(server().dataDir, id);
      await expectSoon(status, 401);
      expect((await server().ask("GET /health", undefined, bearer(master))).status).toBe(200);
    }
  });
});

describe("a key", () => {
  test("for some agents is refused for others in every operation, and creates none of them", async () => {
    const { key } = await keyFor({ agents: ["alice", "Зоя"] });
    const zoya = Buffer.from("Зоя").toString("latin1");
    for (const { name, operation, call } of CALLS) {
      const isPlain = name in AGENTLESS_OPERATIONS;
      const foreign = call.replace("/agents/alice", "/agents/bob");
      for (const agent of ["bob", "alicia", "Alice", undefined]) {
        const headers = {
          ...bearer(key),
          ...(agent === undefined ? {} : { "x-nous-agent": agent }),
        };
        const { status } = await server().ask(foreign, undefined, headers);
        if (isPlain && !operation.path.includes("{agent}"))
          expect([200, 400], name).toContain(status);
        else expect({ name, agent, status }).toEqual({ name, agent, status: 403 });
      }
    }
    expect(existsSync(agentFile(server().dataDir, "bob"))).toBe(false);
    for (const agent of ["alice", zoya]) {
      expect((await server().ask("POST /nodes", LESSON, as(agent, key))).status).toBe(201);
    }
    const { body } = await server().ask("GET /agents", undefined, bearer(key));
    expect(body.data.map(({ agent }: { agent: string }) => agent).sort()).toEqual(["alice", "Зоя"]);
    expect(body.count).toBe(2);
  });

  test("has the rights that an operation names, and no others", async () => {
    for (const scope of ["memory", "admin"] as Scope[]) {
      const { key } = await keyFor({ agents: ["alice"], scopes: [scope] });
      for (const { name, operation, call } of CALLS) {
        const { status, body } = await server().ask(call, undefined, as("alice", key));
        if (operation.scope === scope) expect([200, 201, 400, 404], name).toContain(status);
        else
          expect({ name, status, body }).toEqual({
            name,
            status: 403,
            body: { error: `the key is not for ${scope === "admin" ? "memory" : "admin"}` },
          });
      }
    }
  });

  test("for daily work has no right to rare, final or whole-memory operations", () => {
    const forAdmins = CALLS.filter(({ operation }) => operation.scope === "admin").map(
      ({ name }) => name,
    );
    expect(forAdmins.sort()).toEqual(
      [
        "backfillEmbeddings",
        "consolidate",
        "deleteAgent",
        "forgetLearned",
        "listAgents",
        "purgeNode",
        "sweep",
        "updateAgent",
      ].sort(),
    );
  });

  test("creates agents only with the right to do so", async () => {
    const { key } = await keyFor({ creates_agents: false });
    const creating = CALLS.filter(({ operation }) => operation.createsAgent);
    const bodies: Record<string, object> = {
      createNode: LESSON,
      createNodes: { items: [LESSON] },
      createCluster: { name: "Majors" },
      updateAgent: { preset: "trading" },
      putNode: LESSON,
      remember: { text: "Mira eats no dairy" },
      importRows: { rows: [{ kind: "node", id: "a", type: "note", content_title: "Majors" }] },
    };
    expect(creating.map(({ name }) => name).sort()).toEqual(Object.keys(bodies).sort());
    for (const { name, call } of creating) {
      const agent = `made by ${name}`;
      const refused = await server().ask(call, bodies[name], as(agent, key));
      expect({ name, ...refused }).toMatchObject({
        name,
        status: 403,
        body: { error: "the key does not create agents" },
      });
      expect(existsSync(agentFile(server().dataDir, agent))).toBe(false);
      expect((await server().ask(call, bodies[name], as(agent, master))).status).toBeLessThan(300);
      expect((await server().ask(call, bodies[name], as(agent, key))).status).toBeLessThan(300);
    }
    expect(
      (await server().ask("GET /health", undefined, as("nobody yet", key))).body.node_count,
    ).toBe(0);
  });

  test("sees metrics of all agents only if it is for all of them, and for admin", async () => {
    const statusFor = async (rights: Partial<Rights>) =>
      (await fetch(`${server().url}/metrics`, { headers: bearer((await keyFor(rights)).key) }))
        .status;
    expect(await statusFor({ agents: ["alice"] })).toBe(403);
    expect(await statusFor({ scopes: ["memory"] })).toBe(403);
    expect(await statusFor({ scopes: ["admin"] })).toBe(200);
  });

  test("can be given to the TypeScript client", async () => {
    const options = { baseUrl: server().url, agent: "client" };
    const { id } = await new NousClient({ ...options, key: master }).createNode(LESSON);
    expect(id).toMatch(/^n_/);
    const refusal = await new NousClient(options).health().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(NousRequestError);
    expect(refusal).toMatchObject({
      status: 401,
      message: expect.stringContaining("a key is needed"),
    });
    for (const wrong of ["", "two words", "new\nline", "é"]) {
      expect(() => new NousClient({ ...options, key: wrong })).toThrow(/^key must be/);
    }
  });

  test("appears in the log by its id, and its text is in no log, metric or answer", async () => {
    const { key, id } = await keyFor({ agents: ["alice"] });
    const texts: string[] = [];
    for (const { call } of CALLS) {
      for (const agent of ["alice", "bob"]) {
        texts.push(JSON.stringify((await server().ask(call, undefined, as(agent, key))).body));
      }
    }
    await server().ask("GET /health", undefined, bearer(`${key}wrong`));
    texts.push(await (await fetch(`${server().url}/metrics`, { headers: bearer(master) })).text());
    await expect.poll(() => server().log()).toContain(`"key":"${id}"`);
    texts.push(server().log());
    for (const text of texts) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(createHash("sha256").update(key).digest("hex"));
    }
  });

  test("is in the OpenAPI description, with the rights it needs and the routes that need none", async () => {
    const { body } = await server().ask("GET /openapi.json", undefined, bearer(master));
    expect(body.components.securitySchemes).toEqual({
      key: { type: "http", scheme: "bearer", description: expect.any(String) },
    });
    for (const { name, operation } of CALLS) {
      const described = body.paths[`/v1${operation.path}`][operation.method];
      expect(described.security, name).toEqual([{ key: [operation.scope] }, {}]);
      expect(Object.keys(described.responses), name).toEqual(
        expect.arrayContaining(["401", "403"]),
      );
      expect(described.responses[401].headers).toHaveProperty("WWW-Authenticate");
    }
  });
});

testOnFiles(
  "the server is never open, even if keys are added, removed and damaged while it runs",
  async () => {
    const folder = temporaryFolder();
    const running = await start(folder);
    const { dataDir } = running;
    const statusOf = async (headers = {}) =>
      (await running.ask("GET /health", undefined, headers)).status;
    expect(await statusOf()).toBe(200);
    const { key, id } = createKey(dataDir, ALL);
    expect([await statusOf(), await statusOf(bearer(key))]).toEqual([401, 200]);
    const other = createKey(dataDir, ALL);
    const file = join(keysDir(dataDir), `${other.id}.json`);
    const sound = readFileSync(file);
    for (const damage of [
      "",
      "{}",
      sound.toString().replace('"all"', "[]"),
      sound.subarray(0, -10),
    ]) {
      writeFileSync(file, damage);
      expect([await statusOf(), await statusOf(bearer(key))]).toEqual([401, 401]);
    }
    expect(running.log()).toContain("every request is refused");
    expect(() => readKeys(dataDir)).toThrow(/is damaged/);
    writeFileSync(file, sound);
    expect(await statusOf(bearer(key))).toBe(200);
    revokeKey(dataDir, id);
    revokeKey(dataDir, other.id);
    expect([await statusOf(), await statusOf(bearer(key))]).toEqual([401, 401]);
    await running.end("SIGKILL");

    writeFileSync(file, "{}");
    expect(run("serve", "--data-dir", folder, "--port", "0")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is damaged"),
    });
  },
);

describe("a server that once had a key", () => {
  const OPTIONS = ["--allowed-hosts", HOST];
  const statusOf = async ({ url }: { url: string }, headers = {}) =>
    (await fetch(`${url}/v1/health`, { headers: headers as Record<string, string> })).status;

  testOnFiles(
    "refuses all requests if the folder of keys is lost, after a restart too, until keys are back",
    async () => {
      const folder = temporaryFolder();
      const { key } = createKey(folder, ALL);
      const first = await start(folder, OPTIONS);
      expect([await statusOf(first), await statusOf(first, bearer(key))]).toEqual([401, 200]);
      const aside = `${keysDir(folder)}.aside`;
      renameSync(keysDir(folder), aside);
      const refused = await first.ask("GET /health", undefined, bearer(key));
      expect(refused).toMatchObject({
        status: 401,
        body: { error: expect.stringMatching(/keys off/) },
      });
      expect(JSON.stringify(refused.body)).not.toContain(folder);
      expect(first.log()).toContain("There are no keys: every request is refused");
      await first.end();
      const second = await start(folder, OPTIONS);
      for (const headers of [{}, bearer(key), { host: HOST }])
        expect(await statusOf(second, headers)).toBe(401);
      expect((await second.ask("GET //livez")).status).toBe(200);
      renameSync(aside, keysDir(folder));
      expect([await statusOf(second), await statusOf(second, bearer(key))]).toEqual([401, 200]);
    },
  );

  testOnFiles("records keys of an earlier version while it runs", async () => {
    const folder = temporaryFolder();
    createKey(folder, ALL);
    rmSync(keysMarker(folder));
    const first = await start(folder);
    expect(await statusOf(first)).toBe(401);
    await first.end();
    rmSync(keysDir(folder), { recursive: true });
    expect(await statusOf(await start(folder))).toBe(401);
  });

  test("is opened only by `keys off` and a restart, and each refusal says so", async () => {
    const folder = temporaryFolder();
    const at = await placeOf(folder);
    const { id } = await keyIn(folder, ALL);
    expect(run("keys", "off", ...at)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`such as ${id}`),
    });
    expect(run("keys", "revoke", id, ...at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("keys off"),
    });
    expect(run("keys", "list", ...at)).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringContaining("keys off"),
    });
    expect(run("keys", "--help").stdout.replaceAll(/\s+/g, " ")).toContain("`keys off` ends that");
    const first = await start(folder);
    expect(await statusOf(first)).toBe(401);
    expect(run("keys", "off", ...at)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("asks for no key"),
    });
    // A running server stays as it was.
    expect(await statusOf(first)).toBe(401);
    await first.end();
    expect(await statusOf(await start(folder))).toBe(200);
    expect(run("keys", "off", ...at)).toMatchObject({
      status: 0,
      stdout: "No keys were needed.\n",
    });
    expect(existsSync(keysMarker(folder))).toBe(false);
  });
});

test("a key for some agents lists only these, page by page, and learns neither names nor the number of others", async () => {
  const folder = temporaryFolder();
  const running = await start(folder);
  const names = Array.from({ length: 12 }, (_, place) => `agent ${place} Ärger`);
  const latin = (name: string) => Buffer.from(name).toString("latin1");
  for (const name of names) await clientOf(running, latin(name)).create();
  const own = [names[2]!, names[5]!, names[9]!];
  const { key } = await keyIn(folder, { ...ALL, agents: [...own, "nobody yet"] });
  await expectSoon(async () => (await running.ask("GET /health")).status, 401);
  const others = [...names.filter((name) => !own.includes(name)), "default"];
  for (const limit of [1, 2, 3, 100]) {
    const listed: string[] = [];
    const counts: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = `limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { status, body } = await running.ask(`GET /agents?${query}`, undefined, bearer(key));
      expect({ status, body }).toMatchObject({ status: 200 });
      const text =
        JSON.stringify(body) +
        Buffer.from((body.next_cursor as string | null) ?? "", "base64url").toString();
      for (const name of others) expect(text).not.toContain(name);
      listed.push(...body.data.map(({ agent }: { agent: string }) => agent));
      counts.push(body.count);
      cursor = body.next_cursor as string | null;
    }
    expect(listed.sort()).toEqual([...own].sort());
    expect(counts).toEqual(
      Array.from({ length: Math.ceil(3 / limit) }, (_, page) => Math.min(limit, 3 - page * limit)),
    );
  }
  const master = (await keyIn(folder, ALL)).key;
  expect((await running.ask("GET /agents", undefined, bearer(master))).body.count).toBe(
    names.length + 1,
  );
});

test("a server starts on an address other than loopback only with keys", async () => {
  // A loopback name that is not on the list of loopback names.
  const folder = temporaryFolder();
  const at = await placeOf(folder);
  const refused = run("serve", "--host", "127.1", "--port", "0", ...at);
  expect(refused).toMatchObject({ status: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /^The host 127\.1 is not loopback, and there are no keys: .*keys create.*\.$/m,
  );
  expect(existsSync(join(folder, "agents"))).toBe(false);
  const { key } = await keyIn(folder, ALL);
  const running = await start(folder, ["--host", "127.1"]);
  expect((await running.ask("GET /health")).status).toBe(401);
  await clientOf(running, "default").ask("POST /nodes", LESSON, bearer(key));
  expect((await running.ask("GET /health", undefined, bearer(key))).body.node_count).toBe(1);
});

describe("foreign pages and hosts", () => {
  test("are refused in every operation, whatever key they send", async () => {
    const strange = [
      { host: "evil.example" },
      { host: `${HOST}.evil.example` },
      { origin: "https://evil.example" },
      { origin: `${PAGE}.evil.example` },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const { operation, call } of CALLS) {
      const [, path] = call.split(" ");
      for (const headers of strange as Record<string, string>[]) {
        const { status, text } = await exchange(`/v1${path}`, { ...headers, ...bearer(master) });
        expect({ path: operation.path, headers, status, text }).toMatchObject({
          status: 403,
          text: /Host|origin/,
        });
      }
    }
  });

  test("do not include a configured name and the server's own pages", async () => {
    for (const headers of [
      { host: HOST },
      { host: `${HOST.toUpperCase()}:8443` },
      { host: "other.example.org" },
      { host: HOST, origin: `https://${HOST}` },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ] as Record<string, string>[]) {
      expect(
        (await exchange("/v1/health", { ...headers, ...bearer(master) })).status,
        JSON.stringify(headers),
      ).toBe(200);
    }
  });

  test("cannot send forms: a body must declare JSON", async () => {
    for (const { name, operation, call } of CALLS) {
      if (operation.body === undefined) continue;
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
      ]) {
        const headers = { ...as("alice", master), "content-type": type };
        const { status, body } = await server().ask(call, "{}", headers);
        expect({ name, type, status, error: body.error }).toEqual({
          name,
          type,
          status: 400,
          error: "the body is not JSON",
        });
      }
    }
  });
});

describe("pages of a configured origin", () => {
  const ask = (init: RequestInit) => fetch(`${server().url}/v1/nodes`, init);

  test("may send preflight requests without a key", async () => {
    const preflight = (origin: string) =>
      ask({
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type,x-nous-agent",
        },
      });
    const { status, headers } = await preflight(PAGE);
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(headers.get("access-control-allow-methods")!.split(",").sort()).toEqual([
      "DELETE",
      "GET",
      "PATCH",
      "POST",
      "PUT",
    ]);
    expect(headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,x-nous-agent",
    );
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("vary")).toContain("Origin");
    const other = await preflight("https://evil.example");
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });

  test("read answers and errors, and need a key like any client", async () => {
    for (const [key, status] of [
      [{}, 401],
      [bearer(master), 200],
    ] as const) {
      const answer = await ask({
        headers: { origin: PAGE, "sec-fetch-site": "cross-site", ...key },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(answer.headers.get("access-control-expose-headers")).toContain("etag");
      expect(answer.headers.get("vary")).toContain("Origin");
    }
    const own = await ask({ headers: bearer(master) });
    expect(own.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("are refused without the configuration", async () => {
    const running = await start(temporaryFolder());
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await fetch(`${running.url}/v1/nodes`, { method, headers: { origin: PAGE } });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
        403,
        null,
      ]);
    }
  });
});
