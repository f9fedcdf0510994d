// An agent's loop over the server: remember, recall, prepare a prompt, give feedback, forget.
// NOUS_URL is where the server listens. Default: http://127.0.0.1:3100

import { NousClient } from "nous-server/client";

const nous = new NousClient({
  baseUrl: process.env.NOUS_URL ?? "http://127.0.0.1:3100",
  agent: "example",
});

const remembered = await nous.createNode({
  type: "note",
  subtype: "custom:lesson",
  content_title: "Deploys on Friday fail more often",
  content_body: "Three of four rollbacks this year were Friday deploys.",
});
console.log("remembered", remembered.content_title);

const { data } = await nous.search({ query: "Friday deploys", limit: 3 });
console.log(
  "found",
  data.map(({ content_title, score }) => `${content_title} (${score})`).join(", "),
);

const { prompt, context_id, recalled_content } = await nous.buildContext({
  input: "should we deploy on Friday?",
});
console.log(prompt);
await nous.giveFeedback({
  context_id,
  recalled_content,
  response: "No: Friday deploys fail more often.",
});

await nous.deleteNode(remembered.id);
console.log("forgotten:", (await nous.search({ query: "Friday deploys" })).count === 0);
