import type { Context, Transit } from 'moleculer';
import { Errors } from 'moleculer';
import { LostCallError } from './errors.ts';

/** A call that has been sent and has no response yet. */
export interface PendingCall {
  ctx: Context;
  /** The node that the call was sent to; null when nats-server picks one. */
  nodeID: string | null;
  reject(error: Error): void;
}

/** The calls of this process that have no response yet, by call id. */
export const pendingCallsOf = (transit: Transit): Map<string, PendingCall> =>
  transit.pendingRequests as Map<string, PendingCall>;

/**
 * Removes a pending call; a response that arrives later is ignored. The function's caller has to reject
 * the removed call: Moleculer counts a call that never ends as work in flight.
 */
export function removePendingCall(transit: Transit, id: string): PendingCall | undefined {
  const pending = pendingCallsOf(transit).get(id);
  if (pending) transit.removePendingRequest(id);
  return pending;
}

/** No response came: whether the call was carried out is unknown. */
export const timeoutErrorOf = (ctx: Context): Error => new Errors.RequestTimeoutError(placeOf(ctx));

export const lostErrorOf = (ctx: Context): Error => new LostCallError(placeOf(ctx));

const placeOf = ({ action, nodeID }: Context) => ({
  action: action?.name ?? '',
  nodeID: nodeID ?? '',
});
