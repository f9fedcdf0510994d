// `npm run quality`: builds the package and measures how well it finds what answers a question; see benches/quality/main.ts.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("benches/quality/main.ts", process.argv.slice(2));
