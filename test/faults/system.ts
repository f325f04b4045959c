import type { ServiceProcess } from '../helpers/process.ts';
import {
  CORE,
  type Ground,
  groundOf,
  startDatabase,
  startPart,
  untilReady,
  usersOf,
} from '../helpers/spread.ts';

/** The process that executes runs. */
export const WORKER = 'flows,runs';
/** The kinds of processes of the system; two of each run unless a scenario wants others. */
export const KINDS = ['api', CORE, WORKER] as const;
/** The services of a process, comma separated. */
export type Kind = string;

interface Part {
  kind: Kind;
  process: ServiceProcess;
  url: string | undefined;
}

/** A system of processes on one nats-server and one database; two of each kind unless others are given. */
export class System {
  readonly ground: Ground;
  readonly #env: Record<string, string>;
  #parts: Part[] = [];

  private constructor(ground: Ground, env: Record<string, string>) {
    this.ground = ground;
    this.#env = env;
  }

  static async start(
    dataDir: string,
    env: Record<string, string>,
    kinds: readonly Kind[] = [...KINDS, ...KINDS],
  ): Promise<System> {
    const system = new System(await groundOf(dataDir, usersOf(kinds)), env);
    await Promise.all(kinds.map((kind) => system.add(kind)));
    await system.untilReady();
    return system;
  }

  /** The gateways, as a load balancer knows them. */
  get urls(): string[] {
    return this.#parts.flatMap(({ url }) => url ?? []);
  }

  processesOf(kind: Kind): ServiceProcess[] {
    return this.#parts.filter((part) => part.kind === kind).map(({ process }) => process);
  }

  /** The processes of the kind, each with the address of its gateway where it has one. */
  addressesOf(kind: Kind): [ServiceProcess, string | undefined][] {
    return this.#parts
      .filter((part) => part.kind === kind)
      .map(({ process, url }) => [process, url]);
  }

  /** One more process of the kind, when it takes calls. */
  async add(kind: Kind, env: Record<string, string> = {}): Promise<ServiceProcess> {
    const process = startPart(this.ground, kind, { ...this.#env, ...env });
    const url = await process.ready;
    if (url) await untilReady(url);
    this.#parts.push({ kind, process, url });
    return process;
  }

  /** Ends the oldest process of the kind; with SIGTERM it is waited for, and has to end well. */
  async remove(kind: Kind, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const [oldest] = this.processesOf(kind);
    if (!oldest) throw new Error(`no process of ${kind}`);
    return this.end(oldest, signal);
  }

  /** Ends a process and forgets it. Resolves with its exit code. */
  end(process: ServiceProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#parts = this.#parts.filter((part) => part.process !== process);
    process.signal(signal);
    return process.exited;
  }

  async killDatabase(): Promise<void> {
    this.ground.database.process.kill('SIGKILL');
    await this.ground.database.exited;
  }

  async restartDatabase(): Promise<void> {
    const { dataDir, database } = this.ground;
    const port = Number(new URL(database.uri).port);
    this.ground.database = await startDatabase(dataDir, port);
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.urls.map(untilReady));
  }
}
