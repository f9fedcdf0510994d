// What cannot be read as a request never reaches the app, and is answered here in the app's words:
// a bad Host, a header without an end, a body that is not cut as it says.

import { createServer, type Server, type ServerOptions, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";

/** Statuses of what the parser of HTTP gives up on, by its codes; what is not here is 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const UNREADABLE = "this cannot be read as a request";
/** The words of a status that says enough by itself. */
const wordsOf = (status: number) =>
  status === 400 ? UNREADABLE : STATUS_CODES[status]!.toLowerCase();
const bodyOf = (status: number) => JSON.stringify({ error: wordsOf(status) });
const JSON_HEADERS = { "content-type": "application/json" };

/** A server of an app which has an answer to everything that arrives. */
export function createHttpServer(
  fetch: Parameters<typeof getRequestListener>[0],
  options: ServerOptions,
): Server {
  const errorHandler = (error: unknown) => {
    const status = error instanceof RequestError ? 400 : 500;
    return new Response(bodyOf(status), { status, headers: JSON_HEADERS });
  };
  // One without a Host is no request either; of itself Node would refuse it without a word.
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

/** Answers what the parser of HTTP gave up on, where there is still somebody to be answered. */
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
