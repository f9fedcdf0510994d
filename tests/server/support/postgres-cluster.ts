// Starts the PostgreSQL of the project whose suites have their memories there.

import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /**
     * The URL of the cluster, for the role that may create databases. Undefined in projects that
     * keep the memories in files, also if they run beside this one.
     */
    cluster?: string;
  }
}

/** Starts the cluster before all suites, and stops it after them. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  project.provide("cluster", postgres.superuserOf(postgres.url));
  return () => postgres.stop();
}
