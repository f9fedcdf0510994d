// XXH64, a checksum over bytes. Plain on purpose: this is the yardstick of the parity tests.

/** The largest number of 64 bits. */
export const M = (1n << 64n) - 1n;
const P1: bigint = 0x9e3779b185ebca87n;
const P2: bigint = 0xc2b2ae3d27d4eb4fn;
const P3: bigint = 0x165667b19e3779f9n;
const P4: bigint = 0x85ebca77c2b2ae63n;
const P5: bigint = 0x27d4eb2f165667c5n;

/** XXH64 with seed 0, as specified. */
export function xxh64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const turn = (value: bigint, by: bigint) => ((value << by) | (value >> (64n - by))) & M;
  const round = (lane: bigint, word: bigint) => (turn((lane + word * P2) & M, 31n) * P1) & M;
  let at = 0;
  let hash = P5;
  if (bytes.length >= 32) {
    const lanes = [(P1 + P2) & M, P2, 0n, -P1 & M];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = round(lanes[lane]!, view.getBigUint64(at + 8 * lane, true));
    }
    hash = lanes.reduce((sum, lane, i) => (sum + turn(lane, [1n, 7n, 12n, 18n][i]!)) & M, 0n);
    for (const lane of lanes) hash = ((hash ^ round(0n, lane)) * P1 + P4) & M;
  }
  hash = (hash + BigInt(bytes.length)) & M;
  for (; at + 8 <= bytes.length; at += 8)
    hash = (turn(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4) & M;
  for (; at + 4 <= bytes.length; at += 4)
    hash = (turn(hash ^ ((BigInt(view.getUint32(at, true)) * P1) & M), 23n) * P2 + P3) & M;
  for (; at < bytes.length; at++)
    hash = (turn(hash ^ ((BigInt(bytes[at]!) * P5) & M), 11n) * P1) & M;
  for (const [by, times] of [
    [33n, P2],
    [29n, P3],
  ] as const)
    hash = ((hash ^ (hash >> by)) * times) & M;
  return hash ^ (hash >> 32n);
}
