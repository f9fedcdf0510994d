// Whether ranking by evidence follows the use of memories: the setting.

/** `on`: feedback moves the weights of an agent. `off`: it moves none, and none count. */
export const LEARNING = ["on", "off"] as const;
export type Learning = (typeof LEARNING)[number];
