/**
 * The effects of a flow outside the run. All values of an effect are evaluated and checked; the host only carries
 * the effect out.
 */
import type { CredentialSource, Json } from '../plan.ts';

/** One HTTP request as it is sent. The host adds its own headers, and an `Idempotency-Key` unless the request has one. */
export interface HttpEffect {
  kind: 'call-http';
  method: string;
  /** Absolute `http:` or `https:` URL with its query. The host decides which targets are allowed. */
  url: string;
  /** The values of the headers by lower-case name. */
  headers: Record<string, string>;
  /** Text to send as UTF-8; null for no body. */
  body: string | null;
  output: 'content' | 'response' | 'raw';
}

/** One request through an API description. The host finds the description and the credential, and adds its own headers. */
export interface ApiDescriptionEffect {
  kind: 'call-api-description';
  apiDescriptionId: number;
  /** Null for the description's own credential. */
  credential: CredentialSource | null;
  /** The values of the placeholders by name, not encoded and never empty. */
  path: Record<string, string>;
  /** The query parameters to add, not encoded. A list makes one parameter for each element. */
  query: Record<string, string | string[]>;
  /** The values of the headers by lower-case name. */
  headers: Record<string, string>;
  /** Text to send as UTF-8; null for no body. */
  body: string | null;
}

/** Raises an issue in the run's workspace, or updates the issue with the same fingerprint and opens it again. */
export interface IssueEffect {
  kind: 'call-issue';
  title: string;
  description: string | null;
  assignedUserId: number | null;
  fingerprint: string | null;
}

/** Asks the agent for one answer, with operations of the run's workspace to read with. */
export interface AgentEffect {
  kind: 'call-agent';
  /** Never blank. */
  prompt: string;
  /** JSON Schema 2020-12 of the answer; null for an answer in text. */
  schema: Json;
  /** The names of the operations that the agent may read with. */
  tools: string[];
}

/** Runs another flow of the workspace as a child run. The effect ends when the child run ends. */
export interface RunEffect {
  kind: 'run';
  /** The flow's name, or its id as text. */
  flow: string;
  /** `latest`, or the id of a version as text. */
  version: string;
  /** The input as JSON text. */
  input: string;
}

/** Waits for a signal that is posted to the run. The effect gives the signal's body. */
export interface ListenEffect {
  kind: 'listen';
  signal: string;
}

export type Effect =
  | HttpEffect
  | ApiDescriptionEffect
  | IssueEffect
  | AgentEffect
  | RunEffect
  | ListenEffect;
