import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { emit } from '../../contract/event.ts';
import { markStopping } from '../../support/stopping-brokers.ts';
import { processStopping } from './process.events.ts';

/** Announces the stop of this process to all processes. Services of this process hear of the stop without NATS as well. */
export function announceShutdown(broker: ServiceBroker): void {
  markStopping(broker);
  const asProcess = asSystem('process');
  void broker.broadcastLocal(processStopping.name, {}, asProcess);
  if (broker.transit) void emit(broker, processStopping, {}, asProcess);
}
