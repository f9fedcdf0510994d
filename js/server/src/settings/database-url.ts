// URLs of databases.

/** Returns whether a database URL is that of a PostgreSQL database. */
export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** Returns whether a URL is that of a remote libSQL database, which version 0.1.0 could use. */
export const isRemoteLibsql = (url: string): boolean => /^(libsql|https?|wss?):/.test(url);

/** Why a URL of a remote libSQL database is refused, and what to do. */
export const REMOTE_LIBSQL =
  "names a remote libSQL database, which version 0.1.0 is the last to read: run its " +
  "`nous-server export`, and `nous-server import` of this version into files or into PostgreSQL";

/** Returns whether a text is empty or the URL of a PostgreSQL database. */
export function isDatabaseUrl(text: string): boolean {
  if (text === "") return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hash, pathname } = new URL(text);
  // Its query says how to connect, such as `?sslmode=verify-full`. An @ in the path ends a password with /.
  const isWhole = hash === "" && !pathname.includes("@");
  return isPostgres(protocol) && isWhole && splitUrl(text) !== undefined;
}

/** What is wrong with another text, for the sentence that refuses it. */
export const NO_DATABASE_URL =
  "must be a URL with postgres, whose password has %23 in place of #, %2F in place of / and " +
  "%25 in place of %";

/**
 * Splits the URL of a database into one without a password, which may be printed, and the password,
 * which may be empty. Returns undefined if the password cannot be read.
 */
export function splitUrl(text: string): { url: string; password: string } | undefined {
  const url = new URL(text);
  const inQuery = url.searchParams.get("password");
  const given = inQuery ?? url.password;
  if (given === "" && inQuery === null) return { url: text, password: "" };
  url.password = "";
  // The rest of a query stays as it is written.
  if (inQuery !== null) url.searchParams.delete("password");
  try {
    return { url: url.href, password: inQuery ?? decodeURIComponent(given) };
  } catch {
    return undefined;
  }
}

/** The warning about a password in an option. */
export const warnOfPassword = (option: string): void =>
  console.error(
    `${option} has a password, which other users of this machine can read. ` +
      "Use the variable NOUS_DATABASE_URL or the option --database-url-file.",
  );
