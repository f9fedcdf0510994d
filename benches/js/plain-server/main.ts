// A plain memory server with the same API, against which nous-server is measured: the code that a
// good engineer writes with the same packages and without the engine. Argument: the database file.
// Listens on a free port and prints its address.

import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createApp } from "./app.ts";
import { openDatabase } from "./database.ts";
import { PlainMemory } from "./memory.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("the first argument is the database file");
const memory = new PlainMemory(openDatabase(file));
const server = serve(
  { fetch: createApp(memory).fetch, hostname: "127.0.0.1", port: 0 },
  (address: AddressInfo) =>
    console.log(`the plain server listens on http://127.0.0.1:${address.port}`),
);
process.on("SIGTERM", () =>
  server.close(() => {
    memory.close();
    process.exit(0);
  }),
);
