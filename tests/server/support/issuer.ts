// An issuer of access tokens for tests: a real HTTP server on this machine that publishes its keys, lets a
// user sign in, and answers as the test says.

import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { onTestFinished } from "vitest";

/** A key pair of the issuer. */
export interface Pair {
  privateKey: CryptoKey;
  jwk: JWK;
  alg: string;
}

export interface Issuer {
  /** The name of the issuer in its tokens. */
  url: string;
  /** The paths that were asked for, in order. */
  asked: string[];
  /** The keys that it publishes. */
  keys: JWK[];
  /** The path of its metadata. */
  place: string;
  /** The status of its answers where nothing is. */
  elsewhere: number;
  /** What answers in place of the issuer; undefined: the issuer. */
  behave: ((path: string, response: ServerResponse) => void) | undefined;
  /** Returns a token, by default a valid one of the user `mira` for an hour. */
  token(claims?: Record<string, unknown>, how?: How): Promise<string>;
  close(): Promise<void>;
}

/** How a token is signed, other than by default. */
export interface How {
  pair?: Pair;
  header?: Record<string, unknown>;
  /** Claims that it lacks. */
  without?: readonly string[];
}

let pairs = 0;
/** Makes a key pair, whose public half has an id unless `kid` is null. */
export async function pairOf(alg = "ES256", kid: string | null = `key-${++pairs}`): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg, use: "sig", ...(kid !== null && { kid }) };
  return { privateKey, jwk, alg };
}

export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Starts an issuer whose tokens are for `audience`. */
export async function startIssuer(audience: string, path = ""): Promise<Issuer & { pair: Pair }> {
  const pair = await pairOf();
  /** The codes of users who have signed in, each with the challenge of its client and its claims. */
  const codes = new Map<string, { challenge: string; claims: Record<string, unknown> }>();
  const server = createServer(async (request, response) => {
    const asked = new URL(request.url!, origin);
    issuer.asked.push(asked.pathname);
    if (issuer.behave !== undefined) return issuer.behave(asked.pathname, response);
    if (asked.pathname === issuer.place)
      return json(response, {
        ...{ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` },
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    if (asked.pathname === `${path}/keys`) return json(response, { keys: issuer.keys });
    if (asked.pathname === `${path}/authorize`) {
      const given = asked.searchParams;
      const code = randomUUID();
      const claims = { aud: given.get("resource"), scope: given.get("scope") };
      codes.set(code, { challenge: given.get("code_challenge")!, claims });
      const location = `${given.get("redirect_uri")}?code=${code}`;
      response.writeHead(302, { location });
      return response.end();
    }
    if (asked.pathname === `${path}/token`) {
      const given = new URLSearchParams(await textOf(request));
      const signedIn = codes.get(given.get("code")!);
      const proof = createHash("sha256").update(given.get("code_verifier")!).digest("base64url");
      if (signedIn?.challenge !== proof || given.get("resource") !== signedIn.claims.aud)
        return json(response, { error: "invalid_grant" }, 400);
      return json(response, {
        ...{ access_token: await issuer.token(signedIn.claims), token_type: "Bearer" },
        expires_in: 3600,
      });
    }
    json(response, { error: "not found" }, issuer.elsewhere);
  });
  const origin = await listening(server);
  const issuer: Issuer & { pair: Pair } = {
    pair,
    url: origin + path,
    asked: [],
    keys: [pair.jwk],
    place: `/.well-known/oauth-authorization-server${path}`,
    elsewhere: 404,
    behave: undefined,
    token: (
      claims = {},
      { pair: { privateKey, jwk, alg } = pair, header = {}, without = [] } = {},
    ) =>
      new SignJWT(
        Object.fromEntries(
          Object.entries({
            ...{ iss: issuer.url, aud: audience, sub: "mira", scope: "memory" },
            ...{ exp: secondsFromNow(3600), ...claims },
          }).filter(([name]) => !without.includes(name)),
        ),
      )
        .setProtectedHeader({ alg, ...(jwk.kid && { kid: jwk.kid }), typ: "at+jwt", ...header })
        .sign(privateKey),
    close: () => closed(server),
  };
  return issuer;
}

/** Starts a proxy, whose URL is known before the server that it leads to. */
export async function startProxy(): Promise<{ url: string; target: string }> {
  const proxy = { url: "", target: "" };
  const server = createServer(async (request, response) => {
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const body = await textOf(request);
    const answer = await fetch(proxy.target + request.url, {
      ...{ method: request.method!, headers },
      ...(body !== "" && { body }),
    });
    const sent: Record<string, string> = {};
    answer.headers.forEach((value, name) => {
      if (name !== "transfer-encoding") sent[name] = value;
    });
    response.writeHead(answer.status, { ...sent, connection: "close" });
    response.end(await answer.text());
  });
  proxy.url = await listening(server);
  return proxy;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => closed(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
