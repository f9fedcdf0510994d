import type { Methods } from "./types.js";
export interface NousClientOptions {
    /** Where the server is, such as `http://127.0.0.1:3100`. */
    baseUrl: string;
    /** Whose memory it is. */
    agent: string;
    /** The key that the server knows whoever asks by, where it has keys. */
    key?: string;
    /** What asks. Default: the global `fetch`. */
    fetch?: typeof globalThis.fetch;
    /** How long an answer is waited for, in milliseconds. Default 30,000. */
    timeoutMs?: number;
}
/** Where a request is wrong, and why. */
export interface RequestIssue {
    /** The field, as in `embedding` or `time_range.start`. */
    path: string;
    message: string;
}
/** A request that did not succeed: it was refused, or no answer came. */
export declare class NousRequestError extends Error {
    /** The status of the answer; null where none came, which `cause` tells more of. */
    readonly status: number | null;
    /** What is wrong with the request; empty where it is not the request. */
    readonly issues: readonly RequestIssue[];
    readonly name = "NousRequestError";
    constructor(message: string, 
    /** The status of the answer; null where none came, which `cause` tells more of. */
    status: number | null, 
    /** What is wrong with the request; empty where it is not the request. */
    issues?: readonly RequestIssue[], options?: ErrorOptions);
}
/**
 * A client of one agent's memory. It keeps nothing, so one may serve a whole program. A method rejects with a
 * {@link NousRequestError}.
 */
export type NousClient = Methods;
export declare const NousClient: new (options: NousClientOptions) => NousClient;
