// Which other server's behaviour this server takes on.

/**
 * `hynous`: the server takes requests and answers them as Hynous' Nous server does. `none`: by its
 * own rules.
 */
export const COMPATS = ["none", "hynous"] as const;
export type Compat = (typeof COMPATS)[number];

/** Returns which characters make the terms of a search. */
export const termsOf = (compat: Compat): "ascii" | "unicode" =>
  compat === "hynous" ? "ascii" : "unicode";
