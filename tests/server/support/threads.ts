// The built scripts of the threads that stores have: the sources, which tests load, have none.

/** Returns the script of the thread of PostgreSQL, or of remote libSQL databases. */
export const threadOf = (name: "postgres" | "remote"): URL =>
  new URL(`../../../js/server/dist/${name}-thread.mjs`, import.meta.url);
