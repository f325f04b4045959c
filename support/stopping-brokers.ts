import type { ServiceBroker } from 'moleculer';
import { isTransientError } from './transient-errors.ts';

/** The brokers whose process was asked to stop. */
const stoppingBrokers = new WeakSet<ServiceBroker>();

/** From here on the broker's process hands its work over, and other processes may be gone. */
export function markStopping(broker: ServiceBroker): void {
  stoppingBrokers.add(broker);
}

/**
 * The level at which work that failed and is repeated later is logged: a defect is an error, a dependency that is away a
 * warning. A process that was asked to stop leaves its work to others; that a dependency is gone is then no warning.
 */
export function levelOfFailure(broker: ServiceBroker, error: unknown): 'info' | 'warn' | 'error' {
  if (!isTransientError(error)) return 'error';
  return stoppingBrokers.has(broker) ? 'info' : 'warn';
}
