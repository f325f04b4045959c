import { createRequire } from 'node:module';

const NAME = 'moleculer-repl';

/**
 * Throws an Error of one line that says how to install moleculer-repl. It is a development dependency, since the
 * service does not need it.
 */
export function assertReplInstalled(): void {
  try {
    createRequire(import.meta.url).resolve(NAME);
  } catch {
    throw new Error(`${NAME} is not installed: "npm ci" without --omit=dev brings it.`);
  }
}
