/**
 * The process that `startEmbeddedMongo` forks. It ends when the parent asks for it or has ended: the channel between
 * the processes closes at every kind of the parent's end.
 */
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';
import { startServer } from './server/server.ts';
import { DATA_FILE } from './storage/store.ts';

const STOP_LIMIT_MS = 10_000;

/** The options that the parent sends to the child. */
export interface ChildOptions {
  folder: string;
  port: number;
  durability: 'NORMAL' | 'FULL';
}
export type ChildAnswer = { ready: number } | { failed: string; name: string };

// A terminal sends its signals to the parent as well, which must finish its requests before the child ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});

let stop = (): Promise<void> => Promise.resolve();
let stopping = false;

async function end(): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  await stop();
  process.exit(0);
}

async function start({ folder, port, durability }: ChildOptions): Promise<void> {
  const lock = lockFolder(folder, process.ppid);
  const server = await startServer({ file: join(folder, DATA_FILE), port, durability });
  stop = async () => {
    await server.close();
    lock.release();
  };
  answer({ ready: server.port });
  // The compile cache is written now, because a killed child could not write it.
  setTimeout(flushCompileCache, 500).unref();
}

const answer = (message: ChildAnswer): void => {
  process.send?.(message, () => {});
};

process.on('disconnect', () => void end());
process.on('message', (message: ChildOptions | 'stop') => {
  if (message === 'stop') return void end();
  start(message).catch((error: Error) => {
    answer({ failed: error.message, name: error.name });
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100);
  });
});
