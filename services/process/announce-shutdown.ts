import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { emit } from '../../contract/event.ts';
import { processStopping } from './process.events.ts';

/** Tells the services of this process, also while NATS is down, and those of all other processes. */
export function announceShutdown(broker: ServiceBroker): void {
  const asProcess = asSystem('process');
  void broker.broadcastLocal(processStopping.name, {}, asProcess);
  if (broker.transit) void emit(broker, processStopping, {}, asProcess);
}
