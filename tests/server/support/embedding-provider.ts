// A provider of embeddings for tests: a real HTTP server on this machine whose answers and faults
// the test sets.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One request that the provider got. */
export interface Asked {
  model: string;
  input: string[];
  dimensions?: number;
  authorization: string | undefined;
  url: string;
}

/** Handles a request. The default answers it correctly. */
export type Behaviour = (asked: Asked, response: ServerResponse) => unknown;

export interface Provider {
  /** The base URL, with the version. */
  url: string;
  /** All requests so far, in order. */
  asked: Asked[];
  /** Sets the handler of later requests. */
  behave(behaviour?: Behaviour): void;
  close(): Promise<void>;
}

/** Returns a vector of a text's words. Texts with the same words have the same direction. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ["none"]) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
    vector[hash % dimensions]! += 1;
  }
  return vector;
}

/** Answers a request correctly. */
export const answerTo = ({ input }: Asked, dimensions: number) => ({
  object: "list",
  data: input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: vectorOf(text, dimensions),
  })),
});

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Starts a provider whose vectors have this many components, unless a request names a number. */
export async function startProvider(
  dimensions: number | Record<string, number> = 64,
): Promise<Provider> {
  const asked: Asked[] = [];
  const componentsOf = ({ model, dimensions: wanted }: Asked) =>
    wanted ?? (typeof dimensions === "number" ? dimensions : dimensions[model]!);
  const byDefault: Behaviour = (request, response) =>
    json(response, answerTo(request, componentsOf(request)));
  let behaviour = byDefault;
  const server = createServer(async (request, response) => {
    const one = {
      ...JSON.parse(await textOf(request)),
      authorization: request.headers.authorization,
      url: request.url!,
    };
    asked.push(one);
    behaviour(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    behave: (next = byDefault) => {
      behaviour = next;
    },
    close,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
