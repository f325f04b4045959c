/**
 * What a flow asks of the world outside it. Everything in an effect is evaluated and checked;
 * the host only carries it out.
 */

/** One request as it goes over the wire; the host adds `Idempotency-Key` and its own headers. */
export interface HttpEffect {
  kind: 'call-http';
  method: string;
  /** Absolute `http:` or `https:` URL with its query. Which targets are allowed is the host's. */
  url: string;
  /** By lower-case name. */
  headers: Record<string, string>;
  /** Text to send as UTF-8; null for no body. */
  body: string | null;
  output: 'content' | 'response' | 'raw';
}

/** Asked for only once it is due: the host journals it with `completedAt` = `untilMs`. */
export interface WaitEffect {
  kind: 'wait';
  /** Milliseconds since the epoch. */
  untilMs: number;
}

export type Effect = HttpEffect | WaitEffect;
