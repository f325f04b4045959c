/**
 * The effects of a flow outside the run. All values of an effect are evaluated and checked; the host only carries
 * the effect out.
 */

/** One HTTP request as it is sent. The host adds `Idempotency-Key` and its own headers. */
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

/** The end of a wait. The interpreter performs this effect when the wait is due; the host journals `untilMs` as `completedAt`. */
export interface WaitEffect {
  kind: 'wait';
  /** Milliseconds since the epoch. */
  untilMs: number;
}

export type Effect = HttpEffect | WaitEffect;
