import type { ServiceBroker } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import { deadlineExceeded } from './error-mapping.ts';
import { defineMiddleware, type Next } from './middleware.ts';
import { OpenWork } from './open-work.ts';

/** What each broker has under way: calls that it serves, calls that it has sent to other processes, and events. */
const openWork = new WeakMap<ServiceBroker, OpenWork>();

function openWorkOf(broker: ServiceBroker): OpenWork {
  const known = openWork.get(broker);
  if (known) return known;
  const work = new OpenWork();
  openWork.set(broker, work);
  return work;
}

/** Answers each open call of a broker that stops with 504. The outcome of such a call is unknown. */
export const giveUpOpenCalls = (broker: ServiceBroker): void =>
  openWorkOf(broker).giveUp(deadlineExceeded());

/** Milliseconds that the stop of a broker waits for its open calls and events; then services stop. */
export function limitStop(broker: ServiceBroker, timeoutMs: number): void {
  openWorkOf(broker).timeoutMs = timeoutMs;
}

const untilGivenUp =
  (next: Next): Next =>
  (ctx) =>
    openWorkOf(ctx.broker).runCall(() => next(ctx));

/**
 * Keeps the open calls of a broker, so that each is answered before the process ends. A stop waits for them and for
 * events, as with Moleculer's own tracking, which would write a warning each time.
 */
export const OpenCalls = defineMiddleware({
  name: 'OpenCalls',
  localAction: (next: Next, action: ContractedAction) =>
    action.contract ? untilGivenUp(next) : next,
  remoteAction: untilGivenUp,
  localEvent:
    (next: Next): Next =>
    (ctx) =>
      openWorkOf(ctx.broker).run(() => next(ctx)),
  /** New calls go to other processes from here on; services have not stopped yet. */
  async stopping(broker: ServiceBroker) {
    const left = await openWorkOf(broker).untilIdle();
    if (left > 0) broker.logger.error(`Calls and events that have not ended in time: ${left}.`);
  },
});
