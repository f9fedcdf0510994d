// `npm run serve`: sets up and builds what is missing, then serves; arguments are those of
// nous-server.

import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { at } from "./lib.mjs";

await build();
await import(pathToFileURL(at("js", "server", "dist", "cli.mjs")));
