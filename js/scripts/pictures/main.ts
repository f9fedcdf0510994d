// `npm run pictures`: draws the picture of the README into docs/. `npm run pictures -- page`:
// photographs the views of the page into docs/page/; `-- page graph time` photographs these alone.
// `npm run pictures -- recording`: records the page.

import { writeFileSync } from "node:fs";
import { TYPES } from "../../../tests/browser/page/support.ts";
import { openBrowser, Site } from "../../../tests/browser/support/page.ts";
import { life } from "./life.ts";
import { photograph } from "./page.ts";
import { record } from "./recording.ts";

const RECORDING = "docs/page/correction.webp";

const [what = "docs/life-of-a-memory.svg", ...views] = process.argv.slice(2);
if (what === "page" || what === "recording") {
  const [browser, site] = [await openBrowser(), await Site.serve("js/page/dist", {}, TYPES)];
  if (what === "page") await photograph(browser, site.url, "docs/page", views);
  else await record(browser, site.url, RECORDING);
  await browser.close();
  await site.close();
  console.log(what === "page" ? "photographed the page into docs/page" : `recorded ${RECORDING}`);
} else {
  writeFileSync(what, await life());
  console.log(`drawn ${what}`);
}
