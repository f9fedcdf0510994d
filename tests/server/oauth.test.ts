// Clients that sign in: the tokens of an issuer at /mcp, through the official client, each way in which a
// token can be wrong, and an issuer that does not answer.

import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { base64url, exportJWK, SignJWT, UnsecuredJWT } from "jose";
import { expect, onTestFinished, vi } from "vitest";
import { createLog } from "../../js/server/src/log.ts";
import { IssuerKeys } from "../../js/server/src/oauth/issuer.ts";
import { claimedBy } from "../../js/server/src/oauth/tokens.ts";
import { some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import {
  type How,
  type Issuer,
  json,
  type Pair,
  pairOf,
  secondsFromNow,
  startIssuer,
  startProxy,
} from "./support/issuer.ts";
import { keyIn, revokeIn } from "./support/keys.ts";
import { databaseOptions } from "./support/on-postgres.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const RESOURCE = "https://memory.example.org/mcp";
const METADATA = "/.well-known/oauth-protected-resource";
const ALL = { agents: "all", scopes: ["memory", "admin"], creates_agents: true } as const;

interface World {
  issuer: Issuer & { pair: Pair };
  server: Running;
  /** A key for everything. */
  key: string;
}

/** Starts an issuer, and a server that accepts its tokens. */
async function world(
  options: readonly string[] = [],
  { resource = RESOURCE, path = "" } = {},
): Promise<World> {
  const issuer = await startIssuer(resource, path);
  const folder = temporaryFolder();
  const { key } = await keyIn(folder, ALL);
  const server = await start(folder, [
    ...["--mcp-oauth-issuer", issuer.url, "--mcp-oauth-resource", resource],
    ...["--log-level", "trace", ...options],
  ]);
  return { issuer, server, key };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const call = (name: string, given: object) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
});
/** Calls a tool with a token. */
const tool = (
  { server }: Pick<World, "server">,
  token: string,
  name: string,
  given: object,
  query = "",
) => server.ask(`POST //mcp${query}`, call(name, given), bearer(token));
const ping = ({ server }: Pick<World, "server">, headers: Record<string, string> = {}) =>
  server.ask("POST //mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, headers);
/** Returns a token with another header, so that its signature is wrong. */
const withHeader = (token: string, header: object) =>
  token.replace(/^[^.]*/, base64url.encode(JSON.stringify(header)));
const challengeOf = ({ headers }: { headers: Headers }) => headers.get("www-authenticate");

describe("a client", () => {
  test("signs in with the issuer that the server names, and uses the memory of its user", async () => {
    const proxy = await startProxy();
    const resource = `${proxy.url}/mcp`;
    const { issuer, server, key } = await world([], { resource, path: "/tenants/one" });
    proxy.target = server.url;
    let tokens: OAuthTokens | undefined;
    let verifier = "";
    let code: string | null = null;
    const provider: OAuthClientProvider = {
      redirectUrl: "http://127.0.0.1:1/signed-in",
      clientMetadata: { redirect_uris: ["http://127.0.0.1:1/signed-in"] },
      clientInformation: () => ({ client_id: "test" }),
      tokens: () => tokens,
      saveTokens: (given) => {
        tokens = given;
      },
      saveCodeVerifier: (given) => {
        verifier = given;
      },
      codeVerifier: () => verifier,
      // A user signs in, and the browser comes back with a code.
      async redirectToAuthorization(url) {
        expect(Object.fromEntries(url.searchParams)).toMatchObject({ resource, scope: "memory" });
        const { headers } = await fetch(url, { redirect: "manual" });
        code = new URL(headers.get("location")!).searchParams.get("code");
      },
    };
    const connect = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(resource), {
        authProvider: provider,
      });
      const mcp = new Client({ name: "test", version: "1" });
      onTestFinished(() => mcp.close());
      return { transport, mcp, connected: mcp.connect(transport) };
    };
    const first = await connect();
    await expect(first.connected).rejects.toThrow(UnauthorizedError);
    await first.transport.finishAuth(code!);
    const { mcp, connected } = await connect();
    await connected;
    const text = "The kayak hangs in the boathouse.";
    await mcp.callTool({ name: "remember", arguments: { text } });
    expect(await mcp.callTool({ name: "recall", arguments: { query: "kayak" } })).toMatchObject({
      content: [{ text: expect.stringContaining("boathouse") }],
    });
    const asMira = { ...bearer(key), "x-nous-agent": "mira" };
    expect((await server.ask("GET /nodes", undefined, asMira)).body.data).toMatchObject([
      { content_title: text },
    ]);
    expect(issuer.asked).toContain("/tenants/one/token");
  });

  test("is told where to sign in", async () => {
    const { issuer, server, key } = await world();
    const metadata = {
      resource: RESOURCE,
      resource_name: "Nous",
      authorization_servers: [issuer.url],
      scopes_supported: ["memory"],
      bearer_methods_supported: ["header"],
    };
    for (const path of [METADATA, `${METADATA}/mcp`])
      expect(await server.ask(`GET /${path}`)).toMatchObject({ status: 200, body: metadata });
    for (const path of [`${METADATA}/other`, "/.well-known/oauth-authorization-server"])
      expect(await server.ask(`GET /${path}`, undefined, bearer(key))).toMatchObject({
        status: 404,
      });
    const where = `scope="memory", resource_metadata="https://memory.example.org${METADATA}/mcp"`;
    for (const path of ["//mcp", "//mcp/"]) {
      const refused = await server.ask(`POST ${path}`, {});
      expect(refused).toMatchObject({ status: 401, body: { error: /token.*key/ } });
      expect(challengeOf(refused)).toBe(`Bearer ${where}`);
    }
    // Before the first token nothing is asked of the issuer.
    expect(issuer.asked).toEqual([]);
    const wrong = await ping({ server }, bearer("nous_wrong"));
    expect(challengeOf(wrong)).toBe(
      `Bearer error="invalid_token", error_description="the key is not known", ${where}`,
    );
    // Other routes do not take tokens, and say no more than before.
    const other = await server.ask("GET /health");
    expect({ status: other.status, challenge: challengeOf(other) }).toEqual({
      ...{ status: 401, challenge: "Bearer" },
    });
  });

  test("finds the metadata at the path of the resource, whatever a proxy cuts off", async () => {
    const { server } = await world([], { resource: "https://example.org/nous/mcp" });
    for (const path of ["", "/mcp", "/nous/mcp"])
      expect((await server.ask(`GET /${METADATA}${path}`)).body).toMatchObject({
        resource: "https://example.org/nous/mcp",
      });
    expect(challengeOf(await ping({ server }))).toContain(
      `resource_metadata="https://example.org${METADATA}/nous/mcp"`,
    );
  });
});

describe("without an issuer", () => {
  test("there is no metadata, and no token counts", async () => {
    const issuer = await startIssuer(RESOURCE);
    const folder = temporaryFolder();
    const server = await start(folder);
    for (const path of [METADATA, `${METADATA}/mcp`])
      expect(await server.ask(`GET /${path}`)).toMatchObject({ status: 404 });
    expect(await ping({ server })).toMatchObject({ status: 200 });
    const { key } = await keyIn(folder, ALL);
    await vi.waitFor(async () => expect(await ping({ server })).toMatchObject({ status: 401 }));
    const refused = await ping({ server }, bearer(await issuer.token()));
    expect({ status: refused.status, challenge: challengeOf(refused) }).toEqual({
      ...{ status: 401, challenge: "Bearer" },
    });
    expect(await ping({ server }, bearer(key))).toMatchObject({ status: 200 });
    expect(issuer.asked).toEqual([]);
  });
});

describe("a token", () => {
  test("counts only if it is whole, of this issuer, for this server, and of its time", async () => {
    const its = await world();
    const { issuer } = its;
    const stranger = await pairOf();
    const rsa = await pairOf("RS256");
    const twins = await Promise.all([pairOf("EdDSA", null), pairOf("EdDSA", null)]);
    const [broken, open] = await Promise.all([pairOf(), pairOf()]);
    issuer.keys.push(rsa.jwk, ...twins.map(({ jwk }) => jwk), { ...broken.jwk, x: "AA" });
    issuer.keys.push({ ...(await exportJWK(open.privateKey)), ...open.jwk });
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
    issuer.keys.push({ ...short.publicKey.export({ format: "jwk" }), kid: "short" });
    const token = (claims: Record<string, unknown> = {}, how: How = {}) =>
      issuer.token(claims, how);
    const claims = { iss: issuer.url, aud: RESOURCE, sub: "mira", scope: "memory" };
    const secret = new TextEncoder().encode(JSON.stringify(issuer.pair.jwk));
    const good = await token();
    const [head, body, signature] = good.split(".") as [string, string, string];
    const altered = base64url.encode(
      JSON.stringify({ ...JSON.parse(Buffer.from(body, "base64url").toString()), sub: "ben" }),
    );
    const wrong: Record<string, string> = {
      "of other text": "a.b.c",
      "without a signature": `${head}.${body}.`,
      "with changed claims": `${head}.${altered}.${signature}`,
      "with a changed signature": `${head}.${body}.${signature.replace(/^./, (c) => (c === "A" ? "B" : "A"))}`,
      "of another key": await token({}, { pair: stranger }),
      "of another key with the id of a known one": await token(
        {},
        { pair: { ...stranger, jwk: issuer.pair.jwk } },
      ),
      "of one of two keys without an id": await token({}, { pair: twins[0] }),
      "that brings its own key": await token(
        {},
        { pair: stranger, header: { jwk: stranger.jwk, kid: undefined } },
      ),
      "that says where its keys are": await token(
        {},
        { pair: stranger, header: { jku: `${issuer.url}/keys`, kid: stranger.jwk.kid } },
      ),
      unsigned: new UnsecuredJWT(claims).setExpirationTime("1h").encode(),
      "signed with the public key as a secret": await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid: issuer.pair.jwk.kid! })
        .setExpirationTime("1h")
        .sign(secret),
      "with a header that must be understood": await new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", kid: issuer.pair.jwk.kid!, crit: ["new"], new: 1 })
        .setExpirationTime("1h")
        .sign(issuer.pair.privateKey, { crit: { new: true } }),
      "of a key that is broken": await token({}, { pair: broken }),
      "of a key whose secret half is published": await token({}, { pair: open }),
      "of another issuer": await token({ iss: "https://login.example.org" }),
      "of the issuer with a slash": await token({ iss: `${issuer.url}/` }),
      "for another server": await token({ aud: "https://memory.example.org" }),
      "for several others": await token({ aud: ["https://a.org", `${RESOURCE}/`] }),
      "for nobody": await token({}, { without: ["aud"] }),
      "of no issuer": await token({}, { without: ["iss"] }),
      "without an end": await token({}, { without: ["exp"] }),
      "without a user": await token({}, { without: ["sub"] }),
      "that has ended": await token({ exp: secondsFromNow(-60) }),
      "that has not begun": await token({ nbf: secondsFromNow(60) }),
      "whose end is a text": await token({ exp: "tomorrow" }),
      "of an identity": await token({}, { header: { typ: "id+jwt" } }),
      "bound to a key": await token({ cnf: { jkt: "x" } }),
      "of a type that is no text": await token({}, { header: { typ: 5 } }),
      "of a user who is a number": await token({ sub: 42 }),
      "of no user": await token({ sub: null }),
      "of several users": await token({ sub: ["mira"] }),
      "of a key that is too short": withHeader(good, { alg: "RS256", kid: "short" }),
    };
    for (const [what, given] of Object.entries(wrong)) {
      const answer = await ping(its, bearer(given));
      expect(answer, what).toMatchObject({
        status: 401,
        body: { error: expect.stringMatching(/^the token does not count: ./) },
      });
      expect(challengeOf(answer), what).toMatch(
        /^Bearer error="invalid_token", error_description="[^"]+", scope="memory", resource_metadata="/,
      );
    }
    const right: Record<string, string> = {
      plain: good,
      "signed with RSA": await token({}, { pair: rsa }),
      "for several servers": await token({ aud: ["https://a.org", RESOURCE] }),
      "that has ended a moment ago": await token({ exp: secondsFromNow(-10) }),
      "that begins in a moment": await token({ nbf: secondsFromNow(10) }),
      "of the type JWT": await token({}, { header: { typ: "JWT" } }),
      "without a type": await token({}, { header: { typ: undefined } }),
    };
    for (const [what, given] of Object.entries(right))
      expect(await ping(its, bearer(given)), what).toMatchObject({ status: 200 });
    // A log tells neither tokens nor who their users are.
    const log = its.server.log();
    for (const given of [...Object.values(right), ...Object.values(wrong)])
      if (given.length > 10) expect(log).not.toContain(given);
    expect(log).toMatch(/"key":"u_[0-9a-f]{12}"/);
    expect(log).not.toContain("mira");
  });

  test("that is no signed JWT is refused with what to ask for, and one of no key of the server", async () => {
    const its = await world();
    const jwt = await its.issuer.token();
    const opaque = [".", "nothing", "ya29.a0AfH6SMBx", jwt.replace(/\.[^.]*$/, ""), `${jwt}.tag.x`];
    for (const given of opaque) {
      const answer = await ping(its, bearer(given));
      expect(answer, given).toMatchObject({
        status: 401,
        body: {
          error: `the token does not count: it is no signed JWT, and no other can be checked here: let the client ask the issuer for one for ${RESOURCE}`,
        },
      });
      expect(challengeOf(answer), given).toMatch(/^Bearer error="invalid_token"/);
    }
    expect(await ping(its, bearer("nous_unknown"))).toMatchObject({
      ...{ status: 401, body: { error: "the key is not known" } },
    });
    // Nothing of this is asked of the issuer.
    expect(its.issuer.asked).toEqual([]);
  });

  test("needs the scope memory, under either name", async () => {
    const its = await world();
    for (const claims of [
      { scope: "openid memory" },
      { scope: undefined, scp: "memory admin" },
      { scope: undefined, scp: ["email", "memory"] },
    ])
      expect(await ping(its, bearer(await its.issuer.token(claims)))).toMatchObject({
        status: 200,
      });
    for (const claims of [
      { scope: "" },
      { scope: "admin memories" },
      { scope: undefined },
      { scope: undefined, scp: ["admin"] },
      { scope: { memory: true } },
      { scope: { toString: "memory" } },
    ]) {
      const refused = await ping(its, bearer(await its.issuer.token(claims)));
      expect(refused).toMatchObject({
        ...{ status: 403, body: { error: "the token is not for memory" } },
      });
      expect(challengeOf(refused)).toBe(
        `Bearer error="insufficient_scope", error_description="the token is not for memory", scope="memory", resource_metadata="https://memory.example.org${METADATA}/mcp"`,
      );
    }
  });

  test("opens the agents that its claim names, the first by default, and no other", async () => {
    const its = await world(["--mcp-oauth-agents-claim", "https://example.org/agents"]);
    const { server, key } = its;
    const token = (agents: unknown) => its.issuer.token({ "https://example.org/agents": agents });
    const two = await token(["home", "büro"]);
    await tool(its, two, "remember", { text: "The oven is at home." });
    await tool(its, two, "remember", { text: "The desk is at work." }, "?agent=b%C3%BCro");
    const titles = async (agent: string) => {
      const headers = { ...bearer(key), "x-nous-agent": Buffer.from(agent).toString("latin1") };
      const { body } = await server.ask("GET /nodes", undefined, headers);
      return body.data.map(({ content_title }: { content_title: string }) => content_title);
    };
    expect(await titles("home")).toEqual(["The oven is at home."]);
    expect(await titles("büro")).toEqual(["The desk is at work."]);
    expect(await titles("default")).toEqual([]);
    const one = await token("home");
    const recall = (given: string, query = "") =>
      tool(its, given, "recall", { query: "desk" }, query);
    for (const agent of ["b%C3%BCro", "default", "mira"])
      expect((await recall(one, `?agent=${agent}`)).body.result).toMatchObject({
        isError: true,
        content: [{ text: "the token is not for this agent (403)." }],
      });
    expect((await recall(one)).body.result.content[0].text).not.toContain("desk is");
    for (const agents of [undefined, null, "", [], ["home", 7], [""], "..", { name: "home" }, true])
      expect(await ping(its, bearer(await token(agents)))).toMatchObject({
        status: 403,
        body: {
          error: "the token names no agent: https://example.org/agents must be a name, or names",
        },
      });
  });

  test("opens /mcp alone", async () => {
    const { server, issuer } = await world();
    const headers = bearer(await issuer.token({ scope: "memory admin" }));
    expect(await ping({ server }, headers)).toMatchObject({ status: 200 });
    for (const path of ["GET /health", "GET /agents", "GET //metrics", "GET //", "GET //mem0/x"])
      expect(await server.ask(path, undefined, headers), path).toMatchObject({ status: 401 });
  });

  test("may be for an audience of the issuer's own", async () => {
    const its = await world(["--mcp-oauth-audience", "api://nous"]);
    expect(await ping(its, bearer(await its.issuer.token({ aud: "api://nous" })))).toMatchObject({
      status: 200,
    });
    expect(await ping(its, bearer(await its.issuer.token()))).toMatchObject({ status: 401 });
  });

  test("has the limits of a key, for each user", async () => {
    const its = await world(["--max-requests-per-minute", "2"]);
    const statuses = async (sub: string) => {
      const headers = bearer(await its.issuer.token({ sub }));
      const answers = [await ping(its, headers), await ping(its, headers)];
      return [...answers, await ping(its, headers)].map(({ status }) => status);
    };
    expect(await statuses("mira")).toEqual([200, 200, 429]);
    expect(await statuses("ben")).toEqual([200, 200, 429]);
  });
});

test("keys count at /mcp as before, beside tokens", async () => {
  const { server, key } = await world();
  expect(await ping({ server }, bearer(key))).toMatchObject({ status: 200 });
  const rights = { agents: ["ann"], scopes: ["memory"], creates_agents: true } as const;
  const { key: ofAnn, id } = await keyIn(server.dataDir, rights);
  await vi.waitFor(async () =>
    expect(await ping({ server }, bearer(ofAnn))).toMatchObject({ status: 200 }),
  );
  const said = async (query: string) =>
    (await tool({ server }, ofAnn, "recall", { query: "tea" }, query)).body.result;
  expect(await said("?agent=ann")).not.toMatchObject({ isError: true });
  // The agent is `default` for a key, which names agents and has none of its own.
  expect(await said("")).toMatchObject({
    ...{ isError: true, content: [{ text: "the key is not for this agent (403)." }] },
  });
  await revokeIn(server.dataDir, id);
  await vi.waitFor(async () =>
    expect(await ping({ server }, bearer(ofAnn))).toMatchObject({ status: 401 }),
  );
});

describe("an issuer", () => {
  test("that does not answer, or answers something else, lets nobody in", async () => {
    const answers: [RegExp, Issuer["behave"]][] = [
      [/status 500/, (_, response) => json(response, {}, 500)],
      [/no metadata with a jwks_uri/, (_, response) => json(response, {}, 404)],
      [/no metadata with a jwks_uri/, (_, response) => json(response, "<html>")],
      [
        /no metadata with a jwks_uri/,
        (_, response) => response.writeHead(302, { location: "https://login.example.org" }).end(),
      ],
      [
        /names "https:\/\/other.example.org" as the issuer/,
        (_, response) =>
          json(response, {
            ...{ issuer: "https://other.example.org", jwks_uri: "https://other.example.org/keys" },
          }),
      ],
      [
        /names "x{200}" as the issuer/,
        (_, response) => json(response, { issuer: "x".repeat(100_000), jwks_uri: "x" }),
      ],
      [/larger than 524288 bytes/, (_, response) => json(response, `"${"x".repeat(2 ** 19)}"`)],
      [/.{4}/, (_, response) => response.destroy()],
    ];
    for (const [why, behave] of some(answers, 3)) {
      const { issuer, server, key } = await world();
      issuer.behave = behave;
      const token = await issuer.token();
      for (const _ of [1, 2])
        expect(await ping({ server }, bearer(token))).toMatchObject({
          ...{ status: 503, body: { error: /^tokens cannot be checked now/ } },
        });
      expect(await ping({ server }, bearer(key))).toMatchObject({ status: 200 });
      const { body } = await server.ask("GET //readyz");
      expect(body).toMatchObject({ status: "ready", problems: [expect.stringMatching(why)] });
      expect(body.problems[0]).not.toContain("127.0.0.1");
      expect(server.log().match(/does not give its keys/g)).toHaveLength(1);
      await server.end("SIGKILL");
    }
  });

  test.each(["http://login.example.org/keys", "file:///etc/passwd", "keys", ""])(
    "whose keys are said to be at %j is not asked there",
    async (jwks_uri) => {
      const { issuer, server } = await world();
      issuer.behave = (_, response) => json(response, { issuer: issuer.url, jwks_uri });
      expect(await ping({ server }, bearer(await issuer.token()))).toMatchObject({ status: 503 });
      expect((await server.ask("GET //readyz")).body.problems).toEqual([
        expect.stringContaining("its jwks_uri is no URL with https"),
      ]);
    },
  );

  test("may have its metadata where either standard puts it", async () => {
    for (const [path, place, elsewhere] of [
      ["", "/.well-known/openid-configuration", 404],
      ["", "/.well-known/openid-configuration", 500],
      ["/tenants/one", "/.well-known/openid-configuration/tenants/one", 404],
      ["/tenants/one", "/tenants/one/.well-known/openid-configuration", 503],
    ] as const) {
      const its = await world([], { path });
      Object.assign(its.issuer, { place, elsewhere });
      expect(await ping(its, bearer(await its.issuer.token()))).toMatchObject({ status: 200 });
    }
  });

  test("changes its keys, and its new tokens count at once", async () => {
    const its = await world();
    const { issuer } = its;
    expect(await ping(its, bearer(await issuer.token()))).toMatchObject({ status: 200 });
    const next = await pairOf();
    issuer.keys.push(next.jwk);
    const token = await issuer.token({}, { pair: next });
    expect(await ping(its, bearer(token))).toMatchObject({ status: 200 });
  });
});

describe("the keys of an issuer", () => {
  const SECOND = 1_000;
  const MINUTE = 60 * SECOND;

  async function kept() {
    const issuer = await startIssuer(RESOURCE);
    let time = 0;
    const log = createLog({ log_level: "silent", log_format: "json" });
    const keys = new IssuerKeys(issuer.url, log, () => time);
    const by = { audience: RESOURCE, agentsClaim: "sub" };
    /** Returns whether a token counts, and how often the issuer was asked for its keys. */
    const check = async (how: How = {}) => {
      const before = issuer.asked.length;
      const counts = await claimedBy(await issuer.token({}, how), keys, by).then(
        () => "counts",
        ({ message }: Error) => message,
      );
      return [counts, issuer.asked.slice(before).filter((path) => path === issuer.place).length];
    };
    const wait = (milliseconds: number) => {
      time += milliseconds;
    };
    return { issuer, keys, check, wait };
  }
  const UNKNOWN = expect.stringMatching(/no applicable key/);
  const NONE = expect.stringMatching(/^tokens cannot be checked now/);

  test("are kept for ten minutes, and then asked for again", async () => {
    const { check, wait, issuer } = await kept();
    expect(await check()).toEqual(["counts", 1]);
    wait(9 * MINUTE);
    expect(await check()).toEqual(["counts", 0]);
    wait(2 * MINUTE);
    expect(await check()).toEqual(["counts", 1]);
    // A key that the issuer withdrew ends with that.
    issuer.keys = [];
    wait(11 * MINUTE);
    expect(await check()).toEqual([UNKNOWN, 2]);
  });

  test("are asked for because of unknown keys at most every half minute", async () => {
    const { check, wait } = await kept();
    const stranger = { pair: await pairOf() };
    expect(await check()).toEqual(["counts", 1]);
    expect(await check(stranger)).toEqual([UNKNOWN, 1]);
    for (let at = 0; at < 5; at++) {
      wait(5 * SECOND);
      expect(await check(stranger)).toEqual([UNKNOWN, 0]);
    }
    wait(6 * SECOND);
    expect(await check(stranger)).toEqual([UNKNOWN, 1]);
  });

  test("count for an hour if the issuer does not answer, which is asked every ten seconds", async () => {
    const { check, wait, issuer, keys } = await kept();
    expect(await check()).toEqual(["counts", 1]);
    expect(keys.problem).toBeUndefined();
    await issuer.close();
    wait(11 * MINUTE);
    expect(await check()).toEqual(["counts", 0]);
    expect(keys.problem).toMatch(/ECONNREFUSED/);
    wait(48 * MINUTE);
    expect(await check()).toEqual(["counts", 0]);
    wait(2 * MINUTE);
    expect(await check()).toEqual([NONE, 0]);
  });

  test("count without a wait while the issuer hangs, but for the first that notices", async () => {
    const { check, wait, issuer, keys } = await kept();
    expect(await check()).toEqual(["counts", 1]);
    const hanging: ServerResponse[] = [];
    issuer.behave = (_, response) => void hanging.push(response);
    wait(11 * MINUTE);
    const begun = performance.now();
    expect(await check()).toEqual(["counts", 1]);
    // The requests for the keys have five seconds together.
    expect(performance.now() - begun).toBeGreaterThan(4_000);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(keys.problem).toMatch(/no answer within 5000 ms/);
    for (let at = 0; at < 3; at++) {
      wait(11 * SECOND);
      const from = performance.now();
      expect((await check())[0]).toBe("counts");
      expect(performance.now() - from).toBeLessThan(1_000);
    }
    // It is asked on, and what it answers counts.
    issuer.behave = undefined;
    for (const response of hanging) response.destroy();
    await vi.waitFor(async () => {
      wait(11 * SECOND);
      await check();
      expect(keys.problem).toBeUndefined();
    });
  });

  test("are asked for once at each place by many requests, and again soon after a failure", async () => {
    const { check, wait, issuer, keys } = await kept();
    issuer.behave = (_, response) => json(response, {}, 503);
    const many = await Promise.all(Array.from({ length: 20 }, () => check()));
    expect(new Set(many.map(([counts]) => counts)).size).toBe(1);
    expect(issuer.asked).toHaveLength(2);
    issuer.behave = undefined;
    wait(9 * SECOND);
    expect(await check()).toEqual([NONE, 0]);
    wait(2 * SECOND);
    expect(await check()).toEqual(["counts", 1]);
    expect(keys.problem).toBeUndefined();
  });
});

describe("settings", () => {
  async function refused(...args: string[]): Promise<string> {
    const folder = temporaryFolder();
    const place = ["--data-dir", folder, "--port", "0", ...(await databaseOptions(folder))];
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "serve", ...place, ...args], {
      ...{ encoding: "utf8", timeout: 60_000 },
    });
    expect(status).toBe(1);
    return stderr;
  }
  const ISSUER = ["--mcp-oauth-issuer", "https://login.example.org"];

  test("name the issuer and the resource, by safe URLs", async () => {
    expect(await refused(...ISSUER)).toContain(
      "mcp_oauth_issuer is set, and mcp_oauth_resource is not",
    );
    expect(await refused("--mcp-oauth-resource", RESOURCE)).toContain(
      "mcp_oauth_resource is set, and mcp_oauth_issuer is not",
    );
    for (const url of [
      ...["http://login.example.org", "login.example.org", "ftp://127.0.0.1"],
      ...["https://login.example.org?x=1", "https://login.example.org#x", "https://a@b.org"],
    ])
      expect(await refused("--mcp-oauth-issuer", url), url).toMatch(
        /^--mcp-oauth-issuer is .*: must be a URL with https/,
      );
  });

  test("demand a key: other routes would be open", async () => {
    expect(await refused(...ISSUER, "--mcp-oauth-resource", RESOURCE)).toMatch(
      /mcp_oauth_issuer is set, and there are no keys.*nous-server keys create/,
    );
  });
});
