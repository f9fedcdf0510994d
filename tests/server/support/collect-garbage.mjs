// Collects garbage at intervals in each thread of a server, so that a growth of its memory is a
// growth of live objects. V8's own schedule depends on many factors. Loaded with `node --import`.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const EVERY_MS = 2_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
setInterval(collect, EVERY_MS).unref();
