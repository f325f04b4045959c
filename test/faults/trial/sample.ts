/** One request of the load as its client saw it. */
export interface Sample {
  /** What the request does, such as `list issues`. */
  work: string;
  method: string;
  path: string;
  /** By `performance.now()`. */
  began: number;
  ended: number;
  /** Milliseconds that the request asked the service to hold its answer back for a run. */
  waitMs: number;
  /** Null for a 2xx; otherwise the code of the connection's error, or the status and the code of the problem. */
  failure: string | null;
  /** Whether a 503 or 504 came with `Retry-After`. */
  hasRetryAfter: boolean;
  /** Whether the client had sent the same request before. */
  isRepeat: boolean;
  /** The gateway that the load balancer chose. */
  gateway: string;
}

/** One thing that a client wants done: a request, and its repeats until one of them has a 2xx. */
export interface Operation {
  work: string;
  began: number;
  ended: number;
  waitMs: number;
  /** The failure of the last request; null when it had a 2xx. */
  failure: string | null;
  repeats: number;
}

/** A time in which a part of the system is away, by `performance.now()`. A kill is a moment: both are the same. */
export interface Outage {
  from: number;
  to: number;
}

/**
 * Milliseconds by which an answer is later than the outage explains: the time from the start of the request, or from
 * the end of the last outage that the request met where that is later, to the end of the answer. What the request
 * itself asked to wait for a run is left out.
 */
export function latenessOf(
  { began, ended, waitMs }: Pick<Sample, 'began' | 'ended' | 'waitMs'>,
  outages: readonly Outage[],
): number {
  const met = outages.filter(({ from, to }) => from <= ended && to >= began);
  const excused = Math.max(began, ...met.map(({ to }) => to));
  return Math.max(ended - excused - waitMs, 0);
}
