import type { ServiceBroker } from 'moleculer';
import { isDatabaseAway } from '../../../support/database-outage.ts';
import { logger } from '../../../support/logging.ts';
import { levelOfFailure } from '../../../support/stopping-brokers.ts';

/** Logs work of the engine that failed and is repeated by a sweep. An outage of the database has a log of its own. */
export function logEngineFailure(broker: ServiceBroker, error: unknown): void {
  if (isDatabaseAway(error)) return;
  logger[levelOfFailure(broker, error)](
    { err: error },
    'Work of the engine of runs is repeated later',
  );
}
