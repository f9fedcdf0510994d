// The format of an export, for tests that write one.

import { readLine } from "../../../js/server/src/portable/lines.ts";

/** @throws {LineError} If a line is not one that `nous-server import` reads. */
export const readExportLine = (line: string): object => readLine(line, 0);
