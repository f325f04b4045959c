import type { IncomingHttpHeaders } from 'node:http';
import { authenticationNeeded } from '../../../contract/authentication-needed.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { ActionContract } from '../../../contract/contract.ts';
import type { GatewayRequest, IdentifiedRequest, RoutedRequest } from '../gateway-request.ts';
import { assertOneCredential } from '../headers/single-headers.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Query } from '../routing/query.ts';

/** The check of a token or key that may be wrong. It counts against the client unless the token is good. */
export interface Guess {
  /** Counts the check against the client; throws 429 beyond the limit of checks. */
  admit(): void;
  /** Takes the count back. */
  forget(): void;
}

/** Finds the caller of a request by its key or token; throws 401 for an invalid key or token. */
export type Identify = (
  contract: ActionContract,
  headers: IncomingHttpHeaders,
  query: Query,
  guess: Guess,
) => Promise<Caller>;

/** Makes the step that finds the caller of a request. It throws 400 for two tokens, 401, and 429 for too many wrong ones. */
export function createIdentifyStep(identify: Identify, limiter: RateLimiter | null) {
  return async (request: RoutedRequest): Promise<IdentifiedRequest> => {
    const { http, query, route } = request;
    assertOneCredential(http);
    const guess = guessOf(request, limiter);
    const caller = await identify(route.contract, http.headers, query, guess);
    const identified = Object.assign(request, { caller });
    const { access } = route.contract;
    if (caller.kind === 'anonymous' && access.who !== 'public') throw authenticationNeeded(access);
    return identified;
  };
}

const guessOf = ({ client, response }: GatewayRequest, limiter: RateLimiter | null): Guess => ({
  admit: () => limiter?.admitGuess(client, response),
  forget: () => limiter?.forgetGuess(client),
});
