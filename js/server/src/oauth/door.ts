// Lets clients in at /mcp that signed in with an issuer of access tokens, as the specification of MCP asks
// of a resource server. Keys go on counting there.

import { bearerOf, type Caller, callerOf } from "../keys/access.ts";
import { PREFIX } from "../keys/keys.ts";
import type { KeyRing } from "../keys/ring.ts";
import type { Logger } from "../log.ts";
import { Refusal } from "../refusal.ts";
import type { Settings } from "../settings/options.ts";
import type { IssuerKeys } from "./issuer.ts";

/** Where clients look for the metadata of a resource (RFC 9728). */
export const METADATA = "/.well-known/oauth-protected-resource";
/** The scope without which no tool works. */
const NEEDED = "memory";

/** A refusal that tells a client where to sign in, and for what. */
export class SignIn extends Refusal {
  constructor(
    status: 401 | 403,
    message: string,
    /** The value of `WWW-Authenticate`. */
    readonly challenge: string,
  ) {
    super(status, message);
  }
}

/** The part of the settings that is about tokens. */
export type OauthSettings = Pick<
  Settings,
  "mcp_oauth_issuer" | "mcp_oauth_resource" | "mcp_oauth_audience" | "mcp_oauth_agents_claim"
>;

/** Returns the door for tokens; undefined if no issuer is set. */
export const doorOf = (settings: OauthSettings, log: Logger): OauthDoor | undefined =>
  settings.mcp_oauth_issuer === "" ? undefined : new OauthDoor(settings, log);

/** Tells who sends a request to /mcp, by its token or its key. */
export class OauthDoor {
  readonly #settings: OauthSettings;
  readonly #log: Logger;
  /** Made with the first token: few servers get one. */
  #keys: IssuerKeys | undefined;

  constructor(settings: OauthSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
  }

  /** The paths of the metadata: for the resource, and for clients that do not know its path. */
  get metadataPaths(): string[] {
    return [...new Set([METADATA, `${METADATA}/mcp`, METADATA + this.#resource.pathname])];
  }

  /** What RFC 9728 has a resource tell of itself. */
  get metadata(): object {
    return {
      resource: this.#settings.mcp_oauth_resource,
      resource_name: "Nous",
      authorization_servers: [this.#settings.mcp_oauth_issuer],
      scopes_supported: [NEEDED],
      bearer_methods_supported: ["header"],
    };
  }

  /** A sentence if the issuer does not give its keys. */
  get problem(): string | undefined {
    return this.#keys?.problem;
  }

  /** @throws {Refusal} If the request carries neither a key nor a token that counts. */
  async callerOf(ring: KeyRing, authorization: string | undefined): Promise<Caller> {
    const given = bearerOf(authorization);
    // A signed JWT has three parts, and no key has a dot.
    if (given?.split(".").length === 3) return this.#callerBy(given);
    try {
      return await callerOf(ring, authorization);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      if (given === undefined) throw this.#signIn(401, "a token of the issuer or a key is needed");
      if (given.startsWith(PREFIX)) throw this.#signIn(401, error.message, "invalid_token");
      throw this.#notCounting(
        "it is no signed JWT, and no other can be checked here: let the client ask the issuer for one " +
          `for ${this.#audience}`,
      );
    }
  }

  async #callerBy(token: string): Promise<Caller> {
    const { mcp_oauth_agents_claim: agentsClaim, mcp_oauth_issuer: issuer } = this.#settings;
    const [{ claimedBy, InvalidToken }, { IssuerKeys }] = await Promise.all([
      import("./tokens.ts"),
      import("./issuer.ts"),
    ]);
    this.#keys ??= new IssuerKeys(issuer, this.#log);
    const { id, scopes, agents } = await claimedBy(token, this.#keys, {
      audience: this.#audience,
      agentsClaim,
    }).catch((error: unknown) => {
      if (!(error instanceof InvalidToken)) throw error;
      throw this.#notCounting(error.message);
    });
    if (!scopes.includes(NEEDED))
      throw this.#signIn(403, `the token is not for ${NEEDED}`, "insufficient_scope");
    const [ownAgent] = agents;
    if (ownAgent === undefined)
      throw new Refusal(403, `the token names no agent: ${agentsClaim} must be a name, or names`);
    return { id, scopes, agents, ownAgent, creates_agents: true };
  }

  /** What a token has to be for. */
  get #audience(): string {
    return this.#settings.mcp_oauth_audience || this.#settings.mcp_oauth_resource;
  }

  get #resource(): URL {
    return new URL(this.#settings.mcp_oauth_resource);
  }

  /** `why` is a clause. */
  #notCounting(why: string): SignIn {
    return this.#signIn(401, `the token does not count: ${why}`, "invalid_token");
  }

  #signIn(status: 401 | 403, message: string, error?: string): SignIn {
    const { origin, pathname } = this.#resource;
    const parts = {
      ...(error === undefined ? {} : { error, error_description: message }),
      scope: NEEDED,
      resource_metadata: origin + METADATA + pathname,
    };
    const quoted = Object.entries(parts).map(
      ([name, value]) => `${name}="${value.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?")}"`,
    );
    return new SignIn(status, message, `Bearer ${quoted.join(", ")}`);
  }
}
