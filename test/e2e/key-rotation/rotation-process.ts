import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** A run of `npm run rotate-keys`. */
export interface RotationProcess {
  kill(): void;
  /** Resolves with all that the process has written, once the process has ended. */
  ended: Promise<string>;
}

/** Starts the program of `npm run rotate-keys` on a database. */
export function startRotation(databaseUri: string, masterKeys: string): RotationProcess {
  const child = spawn(process.execPath, [join(ROOT, 'deploy/rotate-keys.ts')], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      MONGODB_URI: databaseUri,
      CREDENTIALS_MASTER_KEYS: masterKeys,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { kill: () => child.kill('SIGKILL'), ended: once(child, 'close').then(() => output) };
}
