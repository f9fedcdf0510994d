// The files that were dropped for the memory of a server.

import { signal } from "@preact/signals";

/** Empty as soon as they are stored, or not to be. */
export const dropped = signal<readonly File[]>([]);
