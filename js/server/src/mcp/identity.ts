// The server's name, capabilities and instructions, which the answer to `initialize` holds. This
// file imports nothing, so that early.ts loads quickly.

/** Returns the name of the server. */
export const serverInfo = (version: string) => ({
  name: "nous-server",
  title: "Nous memory",
  version,
});

/** What the server can, as the tools, resources and prompts of server.ts declare it. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: { listChanged: true },
};

export const INSTRUCTIONS =
  "A memory that outlives the conversation. Call `recall` before you answer anything that may depend on " +
  "earlier conversations, on the user's preferences, people, projects or decisions. Call `remember` when " +
  "the user tells or corrects something that will matter later. Each line of an answer ends with the day of " +
  "the event, or with the day on which it was noted: trust newer lines over older ones. If `recall` says that " +
  "the memory may know, judge its lines by their words. If it says that the memory probably does not know, " +
  "say so instead of guessing.";
