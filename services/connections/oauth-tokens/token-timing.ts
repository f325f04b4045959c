/** The times of token requests, in milliseconds. */
export interface TokenTiming {
  /** The time of a token request with both kinds of client authentication. Beyond it `TOKEN_UNAVAILABLE`. */
  requestMs: number;
  /** The lease without a renewal. Beyond it another process asks: the holder is dead. */
  leaseMs: number;
  /** The time between two renewals of the lease. */
  renewalMs: number;
  /** The time between two looks for the token that another process fetches. */
  pollMs: number;
  /** The time in which a call gets a token, the wait for other processes included. Beyond it `TOKEN_UNAVAILABLE`. */
  budgetMs: number;
  /** The time that a call must have left to begin a token request. */
  leastRequestMs: number;
  /** The time without another request after the first refusal. Each further failure doubles it. */
  refusedMs: number;
  /** The time without another request after the first request without a token. Each further failure doubles it. */
  unavailableMs: number;
  /** The longest time without another request after a failure. */
  maxBackoffMs: number;
  /** The time for which a token that has replaced a refused token is not replaced as well. */
  keepMs: number;
}

export const TOKEN_TIMING: TokenTiming = {
  requestMs: 30_000,
  leaseMs: 10_000,
  renewalMs: 3_000,
  pollMs: 100,
  budgetMs: 36_000, // within the 40 s of `connections.prepareCall`
  leastRequestMs: 2_000,
  refusedMs: 5_000,
  unavailableMs: 1_000,
  maxBackoffMs: 30_000,
  keepMs: 30_000,
};
