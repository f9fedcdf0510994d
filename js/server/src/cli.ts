#!/usr/bin/env node
// The entry of the command line, in program.ts. `nous-server mcp` answers the first message of its
// client here, before it loads that: the modules take longer to load than clients like to wait.

import { greetEarly } from "./mcp/early.ts";
import { problemOfSqlite, sqliteVersion } from "./storage/sqlite-version.ts";

declare const __VERSION__: string;

const problem = problemOfSqlite(await sqliteVersion(), process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
const [, , command, ...rest] = process.argv;
const asksForElse = rest.some((word) =>
  ["install", "uninstall", "help", "--help", "-h"].includes(word),
);
if (command === "mcp" && !asksForElse) await greetEarly(__VERSION__);
await import("./program.ts");
