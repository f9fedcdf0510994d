// Settings whose values are words, and their defaults by compatibility mode.

/**
 * `evidence`: by the probability that a memory answers the question. `signals`: by a sum of six
 * signals.
 */
export const RANKINGS = ["evidence", "signals"] as const;
export type RankedBy = (typeof RANKINGS)[number];

/**
 * Whether ranking by evidence follows the use of memories. `on`: feedback moves the weights of an
 * agent. `off`: it moves none, and none count.
 */
export const LEARNING = ["on", "off"] as const;
export type Learning = (typeof LEARNING)[number];

/**
 * The compatibility mode: another server's behaviour that this server takes on. `hynous`: requests
 * and answers are those of Hynous' Nous server. `none`: this server's own. The folder `compat` has
 * what differs.
 */
export const COMPATS = ["none", "hynous"] as const;
export type Compat = (typeof COMPATS)[number];

/**
 * What makes vectors: the server by itself (`builtin`), a service over HTTP (`openai-compatible`), or
 * nothing.
 */
export const EMBEDDING_PROVIDERS = ["builtin", "none", "openai-compatible"] as const;
export type EmbeddingsProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** The party that counts closed trades for their playbooks. */
export type Counter = "server" | "client";

/** The defaults of settings that depend on the mode. */
export interface DefaultsOfMode {
  ranking: RankedBy;
  embeddings_provider: EmbeddingsProvider;
  count_outcomes: Counter;
}

export const DEFAULTS: Readonly<Record<Compat, DefaultsOfMode>> = {
  none: { ranking: "evidence", embeddings_provider: "builtin", count_outcomes: "server" },
  // Hynous' server ranks by signals and makes no vectors, and its client counts trades by itself.
  hynous: { ranking: "signals", embeddings_provider: "none", count_outcomes: "client" },
};
