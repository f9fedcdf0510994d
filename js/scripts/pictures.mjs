// `npm run pictures`: builds the engine and draws the pictures in docs/ from its functions.
// `npm run pictures -- page` photographs the views of the page in Chromium instead, and
// `-- recording` records the page for README.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";
import { setUpChromium } from "./setup.mjs";

const wanted = process.argv.slice(2);
await build();
if (wanted[0] === "page" || wanted[0] === "recording") process.env.CHROME = setUpChromium();
await runProgram("js/scripts/pictures/main.ts", wanted);
