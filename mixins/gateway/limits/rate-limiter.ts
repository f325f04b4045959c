import type { ServerResponse } from 'node:http';
import { type Caller, nameOfCaller } from '../../../contract/caller.ts';
import type { Client } from '../../../contract/client.ts';
import { Problem, RateLimited } from '../../../contract/problem.ts';
import { networkOf } from '../../../environment/values/ip-address.ts';
import type { RateLimit } from '../../../environment/values/rate-limit.ts';
import { type Grant, TokenBuckets } from '../../../support/token-buckets.ts';

/**
 * Limits requests by caller: a user, an API key, or the network of an anonymous client. The guesses of
 * a network have buckets of their own, so that neither anonymous requests nor guesses use up the other's.
 */
export class RateLimiter {
  readonly #callers: TokenBuckets;
  readonly #networks: TokenBuckets;
  readonly #guesses: TokenBuckets;
  readonly #policy: string;

  constructor(limit: RateLimit) {
    this.#callers = new TokenBuckets(limit);
    this.#networks = new TokenBuckets(limit);
    this.#guesses = new TokenBuckets(limit);
    this.#policy = `"default";q=${limit.count};w=${limit.seconds}`;
  }

  /** Counts a request; throws 429 when the caller has none left. */
  admit(caller: Caller, client: Client, res: ServerResponse): void {
    const name = nameOfCaller(caller);
    const grant =
      name === undefined
        ? this.#networks.take(networkOf(client.address))
        : this.#callers.take(name);
    this.#assertGranted(grant, res);
  }

  /** Counts a token or key that may be wrong, before anybody is asked; throws 429 when none is left. */
  admitGuess({ address }: Client, res: ServerResponse): void {
    this.#assertGranted(this.#guesses.take(networkOf(address)), res);
  }

  /** Does not count a guess that was right. */
  forgetGuess({ address }: Client): void {
    this.#guesses.putBack(networkOf(address));
  }

  /** Tells the client what is left (draft-ietf-httpapi-ratelimit-headers-10). */
  #assertGranted({ granted, remaining, waitSeconds }: Grant, res: ServerResponse): void {
    res.setHeader('RateLimit-Policy', this.#policy);
    res.setHeader('RateLimit', `"default";r=${remaining};t=${waitSeconds}`);
    if (granted) return;
    const detail = `There were too many requests; the next is possible in ${waitSeconds} s.`;
    throw new Problem(RateLimited, detail, { retryAfter: waitSeconds });
  }
}
