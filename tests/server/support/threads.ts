// The built script of the thread of PostgreSQL: the sources, which tests load, have none.

export const POSTGRES_THREAD: URL = new URL(
  "../../../js/server/dist/postgres-thread.mjs",
  import.meta.url,
);
