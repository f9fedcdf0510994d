// `npm run pictures`: draws the picture of the README into docs/. `npm run pictures -- page`:
// photographs the views of the page into docs/page/.

import { writeFileSync } from "node:fs";
import { TYPES } from "../../../tests/browser/page/support.ts";
import { openBrowser, Site } from "../../../tests/browser/support/page.ts";
import { life } from "./life.ts";
import { photograph } from "./page.ts";

if (process.argv[2] === "page") {
  const [browser, site] = [await openBrowser(), await Site.serve("js/page/dist", {}, TYPES)];
  await photograph(browser, site.url, "docs/page");
  await browser.close();
  await site.close();
  console.log("photographed the page into docs/page");
} else {
  const [file = "docs/life-of-a-memory.svg"] = process.argv.slice(2);
  writeFileSync(file, await life());
  console.log(`drawn ${file}`);
}
