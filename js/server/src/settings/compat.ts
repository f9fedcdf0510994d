// Which other server's behaviour this one takes on.

/**
 * `hynous`: requests are taken and answers are given as Hynous' Nous server does it. `none`: by
 * this server's own rules.
 */
export const COMPATS = ["none", "hynous"] as const;
export type Compat = (typeof COMPATS)[number];
