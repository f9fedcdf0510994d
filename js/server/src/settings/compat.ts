// The compatibility mode: another server's behaviour that this server takes on. The folder `compat`
// has what differs; this file has the defaults of other settings.

import type { EmbeddingsProvider } from "./embeddings-model.ts";
import type { RankedBy } from "./ranking.ts";

/** `hynous`: requests and answers are those of Hynous' Nous server. `none`: this server's own. */
export const COMPATS = ["none", "hynous"] as const;
export type Compat = (typeof COMPATS)[number];

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
