// `npm run pictures`: draws the picture of the README into docs/, or into the given file.

import { writeFileSync } from "node:fs";
import { life } from "./life.ts";

const [file = "docs/life-of-a-memory.svg"] = process.argv.slice(2);
writeFileSync(file, await life());
console.log(`drawn ${file}`);
