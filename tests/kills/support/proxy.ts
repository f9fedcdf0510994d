// A proxy before a TCP server, which can break off its connections or stop passing bytes on.

import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  port: number;
  /** Breaks off all connections, with bytes under way. */
  cut(): void;
  /** Passes no bytes on until `resume`, and keeps connections open. */
  stall(): void;
  resume(): void;
  close(): void;
}

/** Starts a proxy for a port of this machine. */
export function startProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isStalled = false;
  const server = createServer((from) => {
    const ahead = connect(to, "127.0.0.1");
    for (const [one, other] of [
      [from, ahead],
      [ahead, from],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on("data", (bytes) => void other.write(bytes));
      if (isStalled) one.pause();
    }
  });
  const ofAll = (work: (socket: Socket) => void) => [...sockets].forEach(work);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      resolve({
        port: (server.address() as { port: number }).port,
        cut: () => ofAll((socket) => void socket.resetAndDestroy()),
        stall() {
          isStalled = true;
          ofAll((socket) => void socket.pause());
        },
        resume() {
          isStalled = false;
          ofAll((socket) => void socket.resume());
        },
        close() {
          ofAll((socket) => void socket.destroy());
          server.close();
        },
      });
    });
  });
}
