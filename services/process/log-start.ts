import { build } from '../../environment/build.ts';
import { environment } from '../../environment/environment.ts';
import { logger } from '../../support/logging.ts';

/** Writes the first line of the process's log: which build starts, on which Node.js, with which services. */
export function logStart(): void {
  const { NODE_ENV: mode, SERVICES: services } = environment;
  logger.info({ commit: build.commit, node: process.version, mode, services }, 'starting');
}
