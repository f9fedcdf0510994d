// `npm start`: sets up and builds what is missing, then serves. Arguments are options of
// `nous-server serve`.

import { fail } from "./lib.mjs";

const question = process.argv
  .slice(2)
  .find((argument) => /\s|\?$/.test(argument) && !argument.startsWith("-"));
if (question !== undefined) {
  fail(
    `\`npm start\` runs the server. To ask the sample memory: npm run ask -- ${JSON.stringify(question)}`,
  );
}
await import("./serve.mjs");
