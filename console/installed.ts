import { createRequire } from 'node:module';

const NAME = 'moleculer-repl';

/**
 * Throws an Error whose message is one line that says how to get it. The service never needs the package,
 * so that an installation without development dependencies has none.
 */
export function assertReplInstalled(): void {
  try {
    createRequire(import.meta.url).resolve(NAME);
  } catch {
    throw new Error(`${NAME} is not installed: "npm ci" without --omit=dev brings it.`);
  }
}
