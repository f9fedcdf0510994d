// Answers requests that Node's parser rejects before they reach the app, such as a header without
// an end or a malformed chunk. The answers have the form of the app's refusals.

import { createServer, type Server, type ServerOptions, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";

/** The status of each error code of the parser; 400 for any other code. */
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const MALFORMED = "the request is malformed";
/** The message of a status: its reason phrase, except for 400. */
const wordsOf = (status: number) =>
  status === 400 ? MALFORMED : STATUS_CODES[status]!.toLowerCase();
const bodyOf = (status: number) => JSON.stringify({ error: wordsOf(status) });
const JSON_HEADERS = { "content-type": "application/json" };

/** Creates the HTTP server of an app. It also answers requests that cannot be parsed. */
export function createHttpServer(
  fetch: Parameters<typeof getRequestListener>[0],
  options: ServerOptions,
): Server {
  const errorHandler = (error: unknown) => {
    const status = error instanceof RequestError ? 400 : 500;
    return new Response(bodyOf(status), { status, headers: JSON_HEADERS });
  };
  // Node would refuse a request without a Host header with an empty body.
  const server = createServer(
    { ...options, requireHostHeader: false },
    getRequestListener(fetch, { errorHandler }),
  );
  server.on("clientError", refuse);
  server.on("checkExpectation", (_, response) =>
    response.writeHead(417, JSON_HEADERS).end(bodyOf(417)),
  );
  return server;
}

/** Answers a request that the parser rejected, if the connection is still open. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ""] ?? 400;
  const body = bodyOf(status);
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`, () =>
    socket.destroy(),
  );
}
