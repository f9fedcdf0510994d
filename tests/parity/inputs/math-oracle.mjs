// Prints V8's results: node math-oracle.mjs <exp|expm1|tanh|pow> <kind of inputs> <how many>
//
// Standard output gets argument and result in turn, as little-endian doubles.

import { writeSync } from "node:fs";

import { inputs } from "./math-inputs.mjs";

const CHUNK = 1 << 15;

const [name, kind, count] = process.argv.slice(2);
// The base of a power is the previous argument, without its sign.
const pow = (x, before) => Math.abs(before) ** x;
const functions = { exp: Math.exp, expm1: Math.expm1, tanh: Math.tanh, pow };
const f = functions[name];
if (f === undefined) throw new RangeError(`unknown function '${name}'`);

const xs = inputs(kind, Number(count));
for (let start = 0; start < xs.length; start += CHUNK) {
  const length = Math.min(CHUNK, xs.length - start);
  const view = new DataView(new ArrayBuffer(length * 16));
  for (let i = 0; i < length; i++) {
    view.setFloat64(i * 16, xs[start + i], true);
    view.setFloat64(i * 16 + 8, f(xs[start + i], xs[start + i - 1] ?? 1), true);
  }
  for (let sent = 0; sent < view.byteLength; ) {
    sent += writeSync(1, view, sent, view.byteLength - sent);
  }
}
