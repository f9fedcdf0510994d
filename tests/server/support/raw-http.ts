// Sends HTTP requests byte by byte as a test writes them. `fetch` would correct wrong ones.

import { type Agent, request } from "node:http";
import { connect } from "node:net";

/** Milliseconds after which a request counts as unanswered. */
const PATIENCE = 30_000;

export interface PlainAnswer {
  status: number;
  type: string;
  text: string;
}

/** A request. Each character of its path and headers is one byte. */
export interface PlainRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
}

export function send(
  url: string,
  { method, path, headers, body }: PlainRequest,
  agent: Agent,
): Promise<PlainAnswer> {
  const { hostname, port, host } = new URL(url);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length: Record<string, number> =
    bytes === undefined ? {} : { "content-length": bytes.length };
  return new Promise((resolve, reject) => {
    const whole = { host, ...headers, ...length };
    // Node would replace an empty Host.
    const options = {
      hostname,
      port,
      method,
      path,
      agent,
      headers: whole,
      setHost: false,
      timeout: PATIENCE,
    };
    const sending = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      const answer = () => ({
        status: response.statusCode!,
        type: response.headers["content-type"] ?? "",
        text,
      });
      response.on("end", () => resolve(answer()));
      response.on("error", reject);
    });
    sending.on("timeout", () => sending.destroy(new Error("was not answered")));
    sending.on("error", (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection just as this request reused it.
      if (sending.reusedSocket && error.code === "ECONNRESET")
        resolve(send(url, { method, path, headers, body }, agent));
      else reject(error);
    });
    sending.end(bytes);
  });
}

/**
 * Writes to a new connection until the server closes it, or until this end does (`goesAway`).
 * Returns everything that the server sent.
 */
export function write(url: string, text: string, { goesAway = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(text, "latin1");
      if (goesAway) socket.end();
    });
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error("was not answered")));
    socket.setEncoding("utf8").on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}
