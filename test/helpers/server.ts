import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { ON_REAL_ENGINE } from '../mongodb/start-mongo.ts';
import { freePort } from './free-port.ts';
import { killModelServers } from './model-server/model-server.ts';
import { killNats } from './nats.ts';
import { killProcesses, type ServiceProcess, startProcess } from './process.ts';
import { groundOf, killDatabases, SPREAD_WORKERS, startDatabase, startSpread } from './spread.ts';

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
export interface SharedServer {
  url: string;
  /** How many processes work on runs. */
  workers: number;
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
export const startServer = (options: StartOptions = {}): Promise<TestServer> =>
  new TestServer(options).start();

/** The running service: one process, or with TEST_NATS=1 several over NATS and one database. */
export class TestServer {
  /** The address of the gateway, the same after each restart; empty before the first start. */
  url = '';
  readonly dataDir: string;
  readonly #options: StartOptions;
  /** The port that the gateway comes back on. */
  #port: string | undefined;
  #parts: readonly ServiceProcess[] = [];

  constructor({ dataDir = dataFolder(), ...options }: StartOptions = {}) {
    this.dataDir = dataDir;
    this.#options = options;
    this.#port = options.env?.PORT;
  }

  /** Starts the processes with these settings and those of every start before, and waits until they take requests. */
  async start(env: Record<string, string> = {}): Promise<this> {
    this.#options.env = { ...this.#options.env, ...env };
    this.#port ??= String(await freePort());
    const { url, parts } = await start(this.dataDir, this.#options, this.#port);
    this.url = url;
    this.#parts = parts;
    return this;
  }

  /** Starts the service again on the same data and the same port, after `stop` or `kill`. */
  restart(env: Record<string, string> = {}): Promise<this> {
    return this.start(env);
  }

  /** The id of the process that has the gateway. */
  get pid(): number {
    return this.#parts[0]?.pid ?? 0;
  }

  /** How many processes work on runs. */
  get workers(): number {
    return this.#parts.length === 1 ? 1 : SPREAD_WORKERS;
  }

  /** Resolves once every process of the latest start has ended: with the exit code, of several the worst. */
  get exited(): Promise<number | null> {
    return Promise.all(this.#parts.map((part) => part.exited)).then((codes) =>
      codes.reduce((worst, code) => (code === 0 ? worst : code), 0),
    );
  }

  /** Returns the output of the processes since the latest start, stdout and stderr. */
  output(): string {
    return this.#parts.map((part) => part.output()).join('');
  }

  /** The lines of the log that are JSON. */
  logLines(): Record<string, unknown>[] {
    return this.output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  signal(signal: NodeJS.Signals): void {
    for (const part of this.#parts) part.signal(signal);
  }

  /** Sends SIGTERM to every process. Resolves with the exit code, of several the worst. */
  stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.exited;
  }

  /** SIGKILL: no chance to tidy up. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** Kills the service and starts it again, on the same data and the same port. */
  async crash(): Promise<void> {
    await this.kill();
    await this.restart();
  }
}

async function start(
  dataDir: string,
  { env, oneProcess = false }: StartOptions,
  port: string,
): Promise<{ url: string; parts: ServiceProcess[] }> {
  const settings = { ...env, PORT: port };
  if (SPREADS && !oneProcess && !env?.MONGODB_URI) {
    return startSpread(await groundOf(dataDir), settings);
  }
  const address = env?.MONGODB_URI ? {} : await databaseOf(dataDir);
  const part = startProcess({ DATA_DIR: dataDir, ...address, ...settings });
  return { url: (await part.ready) ?? '', parts: [part] };
}

const databases = new Map<string, Promise<EmbeddedMongo>>();

/** The address of a database for the data of a folder, where the service is not to start its embedded one. */
async function databaseOf(dataDir: string): Promise<Record<string, string>> {
  if (!ON_REAL_ENGINE) return {};
  const database = databases.get(dataDir) ?? startDatabase(dataDir);
  databases.set(dataDir, database);
  return { MONGODB_URI: (await database).uri };
}
