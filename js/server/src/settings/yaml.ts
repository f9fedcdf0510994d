// Reads and writes YAML. A module of its own, so that the package is loaded only if a file is read
// or printed.

export { parse, stringify } from "yaml";
