import { build } from '../../environment/build.ts';
import { environment, misspelt } from '../../environment/environment.ts';
import { logger } from '../../support/logging.ts';

/**
 * Writes the first lines of the process's log: which build starts, on which Node.js, with which services; then the
 * variables that are probably misspelt.
 */
export function logStart(): void {
  const { NODE_ENV: mode, SERVICES: services } = environment;
  logger.info({ commit: build.commit, node: process.version, mode, services }, 'starting');
  for (const { given, known } of misspelt) {
    logger.warn({ given, known }, 'A variable has no effect: its name is not the known one');
  }
}
