// Collects garbage at intervals in each thread of a server, so that growth of its memory is growth
// of what it keeps. When V8 collects by itself depends on much else. Loaded with `node --import`.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const EVERY_MS = 2_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
setInterval(collect, EVERY_MS).unref();
