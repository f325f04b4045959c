import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../contract/caller.ts';

/** A process has begun to stop, this one or the one named by the event's `nodeID`: whoever waits on its behalf shall not. */
export const PROCESS_STOPPING = 'process.stopping';

/** Tells the services of this process, whatever has become of NATS, and those of all others. */
export function announceShutdown(broker: ServiceBroker): void {
  const asProcess = asSystem('process');
  void broker.broadcastLocal(PROCESS_STOPPING, {}, asProcess);
  // Moleculer answers nothing, not even a promise, while it knows nobody who listens.
  if (broker.transit) void broker.broadcast(PROCESS_STOPPING, {}, asProcess);
}
