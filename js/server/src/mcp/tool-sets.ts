// The sets of tools that a session may have. This file imports nothing, so that commands load quickly.

/** `few`: those that a model needs to remember, recall and correct. `all`: every tool. */
export const TOOL_SETS = ["few", "all"] as const;
export type ToolSet = (typeof TOOL_SETS)[number];
export const DEFAULT_TOOLS: ToolSet = "few";
