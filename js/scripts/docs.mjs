// `npm run docs`: the API reference of the packages, as pages in docs/api.

import { build } from "./build.mjs";
import { at, must, say } from "./lib.mjs";

// The reference follows the declarations that are published.
await build();
must("typedoc", []);
say(`open ${at("docs", "api", "index.html")}`);
