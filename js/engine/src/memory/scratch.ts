// The module's memory of one agent, as its scratch is seen.

import type { Glue } from "../instance.ts";
import type { ScratchView } from "../scratch-view.ts";

/** The module's memory of one agent. @internal */
export type ResidentMemory = NonNullable<ReturnType<Glue["ResidentMemory"]["create"]>>;

/** The scratch of a memory. @internal */
export type MemoryScratch = ScratchView<ResidentMemory>;
