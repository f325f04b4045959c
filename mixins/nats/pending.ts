import type { Context, Transit } from 'moleculer';
import { Errors } from 'moleculer';

/** A call that has been sent and not been answered. */
export interface Pending {
  ctx: Context;
  reject(error: Error): void;
}

/** The calls of this process that wait for an answer, by id. */
export const pendingOf = (transit: Transit): Map<string, Pending> =>
  transit.pendingRequests as Map<string, Pending>;

/**
 * Takes a call from those that wait for an answer, if it is one of them; an answer that comes later is
 * ignored. Whoever takes it has to reject it: Moleculer counts a call that never ends as work under way.
 */
export function takePending(transit: Transit, id: string): Pending | undefined {
  const pending = pendingOf(transit).get(id);
  if (pending) transit.removePendingRequest(id);
  return pending;
}

/** No answer came: nobody knows whether the call was carried out. */
export const noAnswer = ({ action, nodeID }: Context): Error =>
  new Errors.RequestTimeoutError({ action: action?.name ?? '', nodeID: nodeID ?? '' });
