import type { ServiceBroker } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import { deadlineExceeded } from './error-mapping.ts';
import { defineMiddleware, type Next } from './middleware.ts';

type Reject = (error: Error) => void;

/** The open calls of each broker: calls that the broker serves, and calls that it has sent to other processes. */
const openCalls = new WeakMap<ServiceBroker, Set<Reject>>();

function openCallsOf(broker: ServiceBroker): Set<Reject> {
  const known = openCalls.get(broker);
  if (known) return known;
  const calls = new Set<Reject>();
  openCalls.set(broker, calls);
  return calls;
}

/** Answers each open call of a broker that stops with 504. The outcome of such a call is unknown. */
export function giveUpOpenCalls(broker: ServiceBroker): void {
  for (const reject of openCallsOf(broker)) reject(deadlineExceeded());
}

const untilGivenUp =
  (next: Next): Next =>
  (ctx) =>
    new Promise((resolve, reject) => {
      const calls = openCallsOf(ctx.broker);
      calls.add(reject);
      next(ctx)
        .then(resolve, reject)
        .finally(() => calls.delete(reject));
    });

/** Keeps the open calls of a broker, so that each is answered before the process ends. */
export const OpenCalls = defineMiddleware({
  name: 'OpenCalls',
  localAction: (next: Next, action: ContractedAction) =>
    action.contract ? untilGivenUp(next) : next,
  remoteAction: untilGivenUp,
});
