// `npm run ask -- "QUESTION"`: prints the answers of the sample memory. A wrong command line ends with
// a sentence and status 2.

import { ask, UsageError } from "./ask.ts";

// A reader such as `head` may close the pipe early; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  process.stdout.write(ask(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
