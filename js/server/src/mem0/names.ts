// Where the interface of mem0 begins, and how its clients send a key.

/** Where the interface begins. */
export const MEM0 = "/mem0";

/** Returns the `Authorization` of a request as the other routes have it: mem0 calls a key a token. */
export const authorizationOf = (path: string, given: string | undefined): string | undefined =>
  path.startsWith(`${MEM0}/`) ? given?.replace(/^Token +/i, "Bearer ") : given;
