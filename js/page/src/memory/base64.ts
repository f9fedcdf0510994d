// Bytes in base64, as lines of an export have vectors.

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Returns the bytes of base64; null for anything else. */
export function bytesIn(base64: unknown): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64 as string), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
