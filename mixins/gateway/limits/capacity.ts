import type { IdentifiedRequest } from '../gateway-request.ts';
import type { BodyMemory } from './body-memory.ts';
import { asksToWait, type WaitingRequests } from './waiting-requests.ts';

/** Serves a request within the places for waiting requests and the memory for bodies; throws 429 or 503 beyond them. */
export function withinCapacity<T>(
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
