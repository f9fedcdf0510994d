// Preloaded into a server, in each of its threads: gives back what is not needed any more from time
// to time, so that what its memory grows by is what it keeps. When the engine does so by itself
// depends on much else.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const EVERY_MS = 2_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
setInterval(collect, EVERY_MS).unref();
