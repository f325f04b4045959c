import { ANONYMOUS } from '../../../contract/caller.ts';
import { NotFound } from '../../../contract/problem.ts';
import type { GatewayRequest, IdentifiedRequest } from '../gateway-request.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { parametersOf } from '../routing/router.ts';

/**
 * Counts a request against its caller, or against the token in its path; throws 429 beyond the rate limit. The result is
 * called with the status of the answer.
 */
export function limitRequest(
  limiter: RateLimiter | null,
  { route, segments, caller, client, response }: IdentifiedRequest,
): (status: number) => void {
  const { unlimited, tokenInPath } = route.contract;
  const token = tokenInPath && parametersOf(route, segments)[tokenInPath];
  if (limiter && token) {
    const prove = limiter.admitToken(token, client, response);
    return (status) => {
      // A refusal may come before the token is looked up, and tells nothing of it.
      if (status < 300 || status === NotFound.status) prove(status < 300);
    };
  }
  if (!unlimited) limiter?.admit(caller, client, response);
  return () => undefined;
}

/** Counts a request for a file against its client network; files need no caller. Throws 429 beyond the rate limit. */
export function limitFile(limiter: RateLimiter | null, { client, response }: GatewayRequest): void {
  limiter?.admit(ANONYMOUS, client, response);
}
