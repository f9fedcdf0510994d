// Prints the seed of a run, and after it, for each failure, the line that repeats it. If REPORT
// names a file, it gets the counts and failures as JSON, for js/scripts/test.mjs.

import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { SEED } from "./amount.ts";

/** What a test run did. A failure has the line that repeats it. */
export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  failures: { title: string; message: string; repeat: string }[];
}

/** The variables that decide what generated and repeated tests do; SEED is the first of the line. */
const AMOUNTS = ["TIER", "KILLS", "PAIRS", "SOAK_MINUTES", "WRONG_REQUESTS", "FUZZ_CALLS"];

export default class RepeatingReporter implements Reporter {
  onTestRunStart(): void {
    console.log(`SEED=${SEED} repeats the generated inputs of this run`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    const report: Report = { passed: 0, failed: 0, skipped: 0, failures: [] };
    for (const { message } of unhandled)
      report.failures.push({ title: "error outside of tests", message, repeat: "" });
    for (const module of modules) take(module, report);
    for (const { title, repeat } of report.failures)
      if (repeat !== "") console.log(`\n✗ ${title}\n  again: ${repeat}`);
    const { REPORT } = process.env;
    if (REPORT !== undefined) writeFileSync(REPORT, JSON.stringify(report));
  }
}

/** Adds a test file to a report. */
function take(module: TestModule, report: Report): void {
  const file = relative(process.cwd(), module.moduleId);
  const fails = (
    title: string,
    errors: readonly { message: string; stack?: string }[],
    name = "",
  ) =>
    report.failures.push({
      title,
      message: errors.map(({ message, stack }) => stack ?? message).join("\n"),
      repeat: lineOf(module.project.name, file, name),
    });
  // Errors of a file or suite itself: it cannot be loaded, or a hook failed.
  if (module.errors().length > 0) fails(file, module.errors());
  for (const suite of module.children.allSuites())
    if (suite.errors().length > 0) fails(`${file} › ${suite.fullName}`, suite.errors());
  for (const test of module.children.allTests()) {
    const { state, errors = [] } = test.result();
    if (state === "passed") report.passed++;
    else if (state !== "failed") report.skipped++;
    else {
      report.failed++;
      fails(`${file} › ${test.fullName}`, errors, nameOf(test));
    }
  }
}

/** Returns the names of a test and of the suites around it, as `-t` compares them. */
function nameOf(test: TestCase): string {
  const names = [test.name];
  for (let { parent } = test; parent.type === "suite"; parent = parent.parent)
    names.unshift(parent.name);
  return names.join(" ");
}

/** Returns the line of a shell that runs a test of a file again, or all of its tests. */
function lineOf(project: string, file: string, name: string): string {
  const given = AMOUNTS.filter((variable) => process.env[variable] !== undefined);
  const variables = given.map((variable) => `${variable}=${process.env[variable]}`);
  const line = [`SEED=${SEED}`, ...variables, "npx vitest run --project", project, file];
  // `-t` takes a regular expression.
  if (name !== "") line.push("-t", quoted(name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return line.join(" ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
