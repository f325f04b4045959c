import type { IdentifiedRequest } from '../gateway-request.ts';
import type { BodyMemory } from '../limits/body-memory.ts';
import { asksToWait, type WaitingRequests } from '../limits/waiting-requests.ts';

/**
 * Holds a request's memory of its body, and its place among waiting requests, while `serve` runs. Throws 429 or
 * 503 beyond the limits. Null for a waiting request whose client has gone.
 */
export function holdCapacity<T>(
  waiting: WaitingRequests,
  bodies: BodyMemory,
  request: IdentifiedRequest,
  serve: () => Promise<T>,
): Promise<T | null> {
  const { caller, client, response, route, query } = request;
  const serveBody = () =>
    bodies.hold({ headers: request.http.headers, caller, client }, route.contract, serve);
  if (!asksToWait(route.contract, query)) return serveBody();
  return waiting.hold({ caller, client }, response, serveBody);
}
