// URLs of databases.

/** Returns whether a database URL is that of a PostgreSQL database. */
export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** Returns whether a URL is that of a remote libSQL database, which version 0.1.0 could use. */
export const isRemoteLibsql = (url: string): boolean => /^(libsql|https?|wss?):/.test(url);

/** Why a URL of a remote libSQL database is refused, and what to do. */
export const REMOTE_LIBSQL =
  "names a remote libSQL database, which version 0.1.0 is the last to read: run its " +
  "`nous-server export`, and `nous-server import` of this version into files or into PostgreSQL";

/**
 * Returns whether a text is empty or the URL of a PostgreSQL database, without a password: it is
 * logged and printed.
 */
export function isDatabaseUrl(text: string): boolean {
  if (text === "") return true;
  if (!URL.canParse(text)) return false;
  const { protocol, password, searchParams, hash } = new URL(text);
  // Its query says how to connect, such as `?sslmode=verify-full`.
  return isPostgres(protocol) && `${password}${hash}` === "" && !searchParams.has("password");
}
