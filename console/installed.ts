import { createRequire } from 'node:module';
import manifest from '../package.json' with { type: 'json' };

const NAME = 'moleculer-repl';

/** Throws an Error whose message is one line that says what to install. The service itself never needs it. */
export function assertReplInstalled(): void {
  try {
    createRequire(import.meta.url).resolve(NAME);
  } catch {
    const version = manifest.optionalDependencies[NAME];
    throw new Error(`${NAME} is not installed: npm install --no-save ${NAME}@${version}`);
  }
}
