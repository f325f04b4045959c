import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CONSOLE } from '../../deploy/nats-passwords.ts';
import type { TestServer } from './server.ts';
import { groundOf } from './spread.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Pipes lines into the console. Resolves with its outputs, apart and in the order of writing, and its exit code. */
export async function typeLines(lines: readonly string[], natsUrl: string | undefined) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['console/repl.ts'], {
    cwd: ROOT,
    env: { PATH, HOME, NODE_ENV: 'test', ...(natsUrl ? { NATS_URL: natsUrl } : {}) },
  });
  let text = '';
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      text += chunk.toString();
      written[name] += chunk.toString();
    });
  }
  child.stdin.on('error', () => undefined); // the console may have ended before it read anything
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text, ...written };
}

/** Makes a function that pipes lines into the console of a server that tests spread over NATS. */
export const consoleOf =
  ({ dataDir }: TestServer) =>
  async (...lines: readonly string[]) => {
    const { nats } = await groundOf(dataDir);
    return typeLines(lines, nats.urlOf(CONSOLE));
  };
