// `npm run pictures`: builds the engine and draws the pictures in docs/ from its functions.
// `npm run pictures -- page` photographs the views of the page in Chromium instead.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";
import { setUpChromium } from "./setup.mjs";

const wanted = process.argv.slice(2);
await build();
if (wanted[0] === "page") process.env.CHROME = setUpChromium();
await runProgram("js/scripts/pictures/main.ts", wanted);
