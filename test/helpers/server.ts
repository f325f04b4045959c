import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killModelServers } from './model-server/model-server.ts';
import { killNats } from './nats.ts';
import { killProcesses, type ServiceProcess, startProcess } from './process.ts';
import { groundOf, killDatabases, SPREAD_WORKERS, startSpread } from './spread.ts';

/** The running service: one process, or with TEST_NATS=1 several over NATS and one database. */
export interface TestServer {
  readonly url: string;
  /** Of the process that has the gateway. */
  readonly pid: number;
  readonly dataDir: string;
  /** How many processes work on runs. */
  readonly workers: number;
  /** Returns the output of the processes so far, stdout and stderr. */
  output(): string;
  /** The lines of the log that are JSON. */
  logLines(): Record<string, unknown>[];
  /** SIGTERM to every process; resolves with the exit code, of several the worst. */
  stop(): Promise<number | null>;
  /** SIGKILL: no chance to tidy up. */
  kill(): Promise<void>;
  /** Starts again on the same data, after `stop` or `kill`. */
  restart(env?: Record<string, string>): Promise<TestServer>;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

export interface StartOptions {
  env?: Record<string, string>;
  dataDir?: string;
  /** Whether to start one process even with TEST_NATS=1, for tests of values that each process counts by itself. */
  oneProcess?: boolean;
}

const folders = new Set<string>();

/** Whether the service is to be spread over several processes. */
const SPREADS = process.env.TEST_NATS === '1';

/** Ends every process that a test left and removes its data. Call it in `afterAll`. */
export async function stopServers(): Promise<void> {
  killModelServers();
  await Promise.all([killProcesses(), killNats()]);
  await killDatabases();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A folder that goes when the tests end. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  folders.add(folder);
  return folder;
}

/** What a test file may know of the server that it shares with other files. */
export interface SharedServer extends Pick<TestServer, 'url' | 'workers'> {
  /** The address of the model of its assistant: `new ModelServer(modelUrl)` writes scripts for it. */
  modelUrl: string;
}

/**
 * Returns the server that the test files of a run of jest share (`shared-server.ts`). A test that stops the server,
 * reads its log, or depends on the number of its people or runs starts a server of its own.
 */
export async function sharedServer(): Promise<SharedServer> {
  const answer = await fetch(process.env.TEST_SHARED_SERVER ?? '');
  if (!answer.ok) throw new Error(`the shared server does not run: ${await answer.text()}`);
  return (await answer.json()) as SharedServer;
}

/** Starts the service on a free port with data of its own, and waits until it takes requests. */
export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? dataFolder();
  const { url, parts } = await start(dataDir, options);
  return serverOf(url, parts, dataDir, options);
}

async function start(
  dataDir: string,
  { env = {}, oneProcess = false }: StartOptions,
): Promise<{ url: string; parts: ServiceProcess[] }> {
  if (SPREADS && !oneProcess && !env.MONGODB_URI) return startSpread(await groundOf(dataDir), env);
  const part = startProcess({ DATA_DIR: dataDir, ...env });
  return { url: (await part.ready) ?? '', parts: [part] };
}

function serverOf(
  url: string,
  parts: readonly ServiceProcess[],
  dataDir: string,
  options: StartOptions,
): TestServer {
  const output = () => parts.map((part) => part.output()).join('');
  const signal = (name: NodeJS.Signals) => {
    for (const part of parts) part.signal(name);
  };
  const exited = Promise.all(parts.map((part) => part.exited)).then((codes) =>
    codes.reduce((worst, code) => (code === 0 ? worst : code), 0),
  );
  return {
    url,
    pid: parts[0]?.pid ?? 0,
    dataDir,
    workers: parts.length === 1 ? 1 : SPREAD_WORKERS,
    exited,
    output,
    logLines: () =>
      output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    signal,
    async stop() {
      signal('SIGTERM');
      return exited;
    },
    async kill() {
      signal('SIGKILL');
      await exited;
    },
    restart: (env = {}) => startServer({ ...options, dataDir, env: { ...options.env, ...env } }),
  };
}
