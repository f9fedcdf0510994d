// Another program's view of a database while a server writes to it.

import { expect, onTestFinished } from "vitest";
import { raw } from "./existing-database.ts";

/** Another program's view of the lock of a database; it never waits. */
export interface Probe {
  /** Whether a connection has a writing transaction open. */
  isHeld(): boolean;
}

export function beside(file: string): Probe {
  const db = raw(file);
  onTestFinished(() => {
    db.close();
  });
  db.exec("PRAGMA busy_timeout = 0");
  return {
    isHeld: () => {
      try {
        db.exec("BEGIN IMMEDIATE");
      } catch (error) {
        expect(error).toMatchObject({ errcode: 5 });
        return true;
      }
      db.exec("ROLLBACK");
      return false;
    },
  };
}

/**
 * Runs a function once a database is locked for writing; returns whether it finished before the
 * lock was released. Returns false if `isOver` became true first.
 */
export async function withinLock(
  { isHeld }: Probe,
  isOver: () => boolean,
  act: () => Promise<unknown>,
): Promise<boolean> {
  while (!isHeld()) {
    if (isOver()) return false;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await act();
  return isHeld();
}
