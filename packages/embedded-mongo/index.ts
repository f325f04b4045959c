import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { join } from 'node:path';
import type { ChildAnswer, ChildOptions } from './child.ts';
import type { CopyAnswer, CopyRequest } from './copy-child.ts';

export { type FolderLock, lockFolder } from './folder-lock.ts';

export interface EmbeddedMongoOptions {
  /** The folder of the data, which is made if it is missing. One process at a time may use it. */
  folder: string;
  /** The port. 0, the default, takes a free port. */
  port?: number;
  /** FULL waits for the disk at every write, NORMAL only when the write requires it. */
  durability?: 'NORMAL' | 'FULL';
  /** The name of the database in the address. */
  dbName?: string;
}

export interface EmbeddedMongo {
  uri: string;
  /** Waits for the operations in flight, then closes the database. */
  stop(): Promise<void>;
  /** Resolves when the process has ended, for any reason. */
  exited: Promise<ExitReason>;
  process: ChildProcess;
}

export interface ExitReason {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A failed start. `name` is FolderInUse, FolderUnusable or the name of the system's error. */
export class EmbeddedMongoFailed extends Error {
  constructor(message: string, name = 'EmbeddedMongoFailed') {
    super(message);
    this.name = name;
  }
}

const STOP_LIMIT_MS = 15_000;
/** The folder of the child's compile cache. With the cache the child starts in a third of the time and memory. */
const COMPILED = join(import.meta.dirname, 'node_modules', '.cache');

/** How the child is forked. */
export const CHILD = {
  env: { NODE_COMPILE_CACHE: COMPILED },
  execArgv: [],
  serialization: 'json',
  stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
} satisfies ForkOptions;

/**
 * Starts the embedded server in a child process on 127.0.0.1 and resolves when the server accepts connections. The
 * child ends with this process, also when this process is killed.
 */
export function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  return superviseChild(fork(join(import.meta.dirname, 'child.ts'), [], CHILD), options);
}

/** Starts the server in a child process that takes the messages of `child.ts`, as `startEmbeddedMongo` does. */
export async function superviseChild(
  child: ChildProcess,
  { folder, port = 0, durability = 'NORMAL', dbName = '' }: EmbeddedMongoOptions,
): Promise<EmbeddedMongo> {
  const exited = new Promise<ExitReason>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const bound = await accepting(child, { folder, port, durability }, exited);
  return {
    uri: `mongodb://127.0.0.1:${bound}/${dbName}?directConnection=true`,
    stop: () => stop(child, exited),
    exited,
    process: child,
  };
}

/** Resolves with the port on which the child listens. Rejects with the child's own reason when the child fails to start. */
function accepting(
  child: ChildProcess,
  options: ChildOptions,
  exited: Promise<ExitReason>,
): Promise<number> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (answer: ChildAnswer) => {
      if ('ready' in answer) resolve(answer.ready);
      else reject(new EmbeddedMongoFailed(answer.failed, answer.name));
    });
    void exited.then(({ code, signal }) => {
      const how = signal ? `by ${signal}` : `with code ${code}`;
      reject(new EmbeddedMongoFailed(`The embedded database ended ${how}. ${complaint}`.trim()));
    });
    child.send(options);
  });
}

async function stop(child: ChildProcess, exited: Promise<ExitReason>): Promise<void> {
  if (child.connected) child.send('stop', () => {});
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(limit);
}

export interface CopyOptions extends CopyRequest {
  /** Ends the copy; the new folder then has no copy that counts. */
  signal?: AbortSignal;
}

/**
 * Copies the data of a folder into a new folder, in a child process of low priority, also while a server uses the
 * folder. The copy has every write that was acknowledged before the call. Resolves when the copy is checked and on the
 * disk; rejects with `EmbeddedMongoFailed`.
 */
export async function copyEmbeddedMongo({ folder, into, signal }: CopyOptions): Promise<void> {
  const child = fork(join(import.meta.dirname, 'copy-child.ts'), [], {
    ...CHILD,
    ...(signal ? { signal, killSignal: 'SIGKILL' } : {}),
  });
  let answer: CopyAnswer | undefined;
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4000);
  });
  child.once('message', (message: CopyAnswer) => {
    answer = message;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('error', (error) => {
    complaint ||= error.message; // an aborted copy, or a child that could not be started
  });
  if (child.connected) child.send({ folder, into } satisfies CopyRequest, () => {});
  await ended;
  if (answer && 'copied' in answer) return;
  const reason = answer ? answer.failed : complaint.trim() || 'its process was ended';
  throw new EmbeddedMongoFailed(`The copy failed: ${reason}`);
}
