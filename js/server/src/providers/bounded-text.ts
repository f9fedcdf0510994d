// Reads answers of other servers, which may be larger than this one wants to hold.

/** Returns the text of an answer; undefined if it has more than `max` bytes. */
export async function boundedText({ body }: Response, max: number): Promise<string | undefined> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.length;
    if (length > max) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks).toString();
}
