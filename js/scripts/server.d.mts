import type { Plugin } from "esbuild";
export function without(part: "postgres" | "telemetry"): Plugin;
