// A configuration of the engine as a file writes it: plain data in snake_case, which crosses to other
// threads. Give it to the engine as `inSnakeCase(config)`.

/** The engine's configuration in snake_case. The rules of this package and its callers read the keys that are listed. */
export interface EngineYaml {
  readonly search?: { readonly max_seeds?: number };
  readonly salience_growth?: boolean;
  readonly evidence?: { readonly preset?: "general" | "trading" };
  readonly [key: string]: unknown;
}
