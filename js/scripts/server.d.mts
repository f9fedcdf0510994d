import type { Plugin } from "esbuild";
export const noPostgres: Plugin;
