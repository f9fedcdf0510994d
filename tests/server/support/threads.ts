// The built script of the thread of PostgreSQL: the sources, which tests load, have none.

type Database = typeof import("../../../js/server/src/storage/postgres/database.ts");

export const POSTGRES_THREAD: URL = new URL(
  "../../../js/server/dist/postgres-thread.mjs",
  import.meta.url,
);

/**
 * Returns the module of a PostgreSQL database, which starts the built thread: for `vi.mock`, in tests
 * that run commands in their own process.
 */
export async function onBuiltThread(original: () => Promise<Database>): Promise<Database> {
  const { PostgresDatabase, ...others } = await original();
  class OnBuiltThread extends PostgresDatabase {
    constructor(place: ConstructorParameters<typeof PostgresDatabase>[0]) {
      super(place, POSTGRES_THREAD);
    }
  }
  return { ...others, PostgresDatabase: OnBuiltThread };
}
