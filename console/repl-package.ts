import { createRequire } from 'node:module';

const NAME = 'moleculer-repl';

/**
 * Throws an Error of one line when moleculer-repl is not installed. The package is a development dependency, since
 * the service does not need the package.
 */
export function assertReplInstalled(): void {
  try {
    createRequire(import.meta.url).resolve(NAME);
  } catch {
    throw new Error(`${NAME} is not installed: "npm ci" without --omit=dev brings it.`);
  }
}
