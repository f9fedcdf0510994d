// URLs of databases.

/** Returns whether a database URL is that of a PostgreSQL database. */
export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** Returns whether a text is empty or a database URL without secrets: it is logged and printed. */
export function isDatabaseUrl(text: string): boolean {
  if (text === "") return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, searchParams, hash } = new URL(text);
  // Its query says how to connect, such as `?sslmode=verify-full`.
  if (isPostgres(protocol)) return `${password}${hash}` === "" && !searchParams.has("password");
  return (
    /^(libsql|https?):$/.test(protocol) &&
    hostname !== "" &&
    `${username}${password}${search}${hash}` === ""
  );
}
