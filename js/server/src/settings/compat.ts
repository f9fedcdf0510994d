// The compatibility mode: another server's behaviour that this server takes on.

/** `hynous`: requests and answers are those of Hynous' Nous server. `none`: this server's own. */
export const COMPATS = ["none", "hynous"] as const;
export type Compat = (typeof COMPATS)[number];

/** Returns which characters form the terms of a search. */
export const termsOf = (compat: Compat): "ascii" | "unicode" =>
  compat === "hynous" ? "ascii" : "unicode";
