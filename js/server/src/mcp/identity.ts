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
  "A memory that outlives the conversation. Call `recall` (or `context` with the user's message) before " +
  "you answer anything that may depend on earlier conversations, on the user's preferences, people, " +
  "projects or decisions. Call `remember` when the user tells something that will matter later. " +
  "If its answer says what the new memory replaces, confirm it with `conflicts` when the user's words leave " +
  "no doubt, keep both when both hold, and ask the user otherwise. Do not " +
  "store what a tool of this server returned. Each line ends with the day of the event, or with the day " +
  "on which it was noted: trust newer lines over older ones. If the answer of `recall` says that the " +
  "memory may know, its lines may or may not answer: judge by their words. If it says that the memory " +
  "probably does not know, say so instead of guessing.";
