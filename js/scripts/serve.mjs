// `npm run serve`: builds what is missing, then runs nous-server with the given arguments. Any
// command of nous-server works: `npm run serve -- check --data-dir FOLDER`.

import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { at } from "./lib.mjs";
import { partsFor } from "./parts.mjs";

await build({ isWhole: false, parts: partsFor(process.argv.slice(2), process.env) });
await import(pathToFileURL(at("js", "server", "dist", "cli.mjs")));
