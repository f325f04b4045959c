import { ANONYMOUS } from '../../../contract/caller.ts';
import type { GatewayRequest, IdentifiedRequest } from '../gateway-request.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';

/** Counts a request against its caller; throws 429 beyond the caller's rate limit. */
export function limitRequest(
  limiter: RateLimiter | null,
  { route, caller, client, response }: IdentifiedRequest,
): void {
  if (!route.contract.unlimited) limiter?.admit(caller, client, response);
}

/** Counts a request for a file against its client network; files need no caller. Throws 429 beyond the rate limit. */
export function limitFile(limiter: RateLimiter | null, { client, response }: GatewayRequest): void {
  limiter?.admit(ANONYMOUS, client, response);
}
