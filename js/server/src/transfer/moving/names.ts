// The names of programs whose files can be imported.

import { JSON_SOURCES, NOTE_FORMATS } from "nous-memory";

/** The programs whose files can be imported. */
export const SOURCES = [...JSON_SOURCES, ...NOTE_FORMATS] as const;
/** See `SOURCES`. */
export type Source = (typeof SOURCES)[number];
