// Ids of memories that other names decide.

/** Returns the beginning of a text's SHA-256, in hexadecimal. */
export async function hexOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 40);
}
