import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { ChildAnswer, ChildOptions } from './child.ts';

export interface EmbeddedMongoOptions {
  /** Where the data lies; made if it isn't there. One process at a time may use it. */
  folder: string;
  /** 0, the default, takes a free port. */
  port?: number;
  /** FULL waits for the disk at every write; NORMAL only where the write asks for it. */
  durability?: 'NORMAL' | 'FULL';
  /** The database that the address names. */
  dbName?: string;
}

export interface EmbeddedMongo {
  uri: string;
  /** Lets the operations that have begun end, then closes the database. */
  stop(): Promise<void>;
  /** Settles when the process has ended, whoever ended it. What follows is the caller's to decide. */
  exited: Promise<ExitReason>;
  process: ChildProcess;
}

export interface ExitReason {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Why a start was refused: `name` is FolderInUse, FolderUnusable or the system's own name. */
export class EmbeddedMongoFailed extends Error {
  constructor(message: string, name = 'EmbeddedMongoFailed') {
    super(message);
    this.name = name;
  }
}

const STOP_LIMIT_MS = 15_000;
/** Without stripping types and compiling anew the child starts in a third of the time and memory. */
const COMPILED = join(import.meta.dirname, 'node_modules', '.cache');

/**
 * Starts a MongoDB server of our own in a child process on 127.0.0.1 and resolves once it accepts
 * connections. The child ends with this process, however this process ends.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { folder, port = 0, durability = 'NORMAL', dbName = '' } = options;
  const child = fork(join(import.meta.dirname, 'child.ts'), [], {
    env: { NODE_COMPILE_CACHE: COMPILED },
    execArgv: [],
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
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

/** The port that the child listens on; rejects with the child's own reason when it doesn't. */
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
