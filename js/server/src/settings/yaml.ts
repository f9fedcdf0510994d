// What reads and writes YAML. It is a module of its own so that only who has a file, or prints one,
// loads the package.

export { parse, stringify } from "yaml";
