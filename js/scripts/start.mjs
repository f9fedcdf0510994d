// `npm start -- OPTIONS`: builds what is missing, then starts the server with these options of
// `nous-server serve`. A question among the arguments is refused with a hint to `npm run ask`.

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
