// The Python packages of a release: the wheel and the source archive of clients/python, made by the
// build backend that its lock file pins. The backend takes the times of files from SOURCE_DATE_EPOCH.

import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { at, fail, must, output } from "../lib.mjs";
import { alike } from "./npm.mjs";

/** Finds a Python, and makes the environment of the client's tests if it is not there. */
const ENVIRONMENT = `
import sys
sys.path.insert(0, "clients/python/tests")
import run
print(run.environment(*run.found_python()))
`;

/** Writes the wheel and the source archive into `to`. `work` is an empty folder. */
export function packPython({ to, work, repository, epoch }) {
  const programs = output(process.env.PYTHON ?? "python3", ["-c", ENVIRONMENT])
    ?.split("\n")
    .at(-1);
  if (programs === undefined)
    fail("The Python packages need Python 3.10 or newer with venv and pip: see CONTRIBUTING.md.");
  const staged = join(work, "python");
  for (const name of ["src", "README.md", "LICENSE", "pyproject.toml"])
    cpSync(at("clients", "python", name), join(staged, name), {
      recursive: true,
      filter: (path) => !path.includes("__pycache__"),
    });
  if (repository !== undefined) {
    const urls = `\n[project.urls]\nRepository = ${JSON.stringify(repository)}\n`;
    appendFileSync(join(staged, "pyproject.toml"), urls);
  }
  alike(staged);
  const env = { SOURCE_DATE_EPOCH: String(epoch), PYTHONPATH: "" };
  const how = ["-m", "build", "--no-isolation", "--outdir", to];
  must(join(programs, "python"), [...how, staged], { env, quiet: true });
}
