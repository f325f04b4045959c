import type { NatsUser } from '../../deploy/nats-users-file.ts';
import { SERVICE_NAMES } from '../../environment/process.ts';
import { request } from './http.ts';
import type { Person } from './people.ts';
import { type ServiceProcess, startProcess } from './process.ts';
import { dataFolder } from './server.ts';
import {
  CORE,
  type Ground,
  groundOf,
  startDatabase,
  startPart,
  untilReady,
  usersOf,
} from './spread.ts';

/** The process that executes runs. */
export const WORKER = 'flows,runs';
/** A process with every service, which is the whole system and has no nats-server. */
export const WHOLE = 'whole';
/** The kinds of processes of the system; two of each run unless a scenario wants others. */
export const KINDS = ['api', CORE, WORKER] as const;
/** An address where nothing listens, for requests while no gateway runs. */
export const NOWHERE = 'http://127.0.0.1:9';
/** The services of a process, comma separated, or `WHOLE`. */
export type Kind = string;

interface Part {
  kind: Kind;
  process: ServiceProcess;
  url: string | undefined;
}

interface SystemOptions {
  dataDir?: string;
  /** Changes the users of NATS, which are those that such processes have in production. */
  users?: (usual: readonly NatsUser[]) => readonly NatsUser[];
}

/** A system of processes on one nats-server and one database; two of each kind unless others are given. */
export class System {
  ground!: Ground;
  readonly #kinds: readonly Kind[];
  readonly #options: SystemOptions;
  #env: Record<string, string> = {};
  readonly #atEnd: (() => Promise<void>)[] = [];
  #parts: Part[] = [];

  constructor(kinds: readonly Kind[] = [...KINDS, ...KINDS], options: SystemOptions = {}) {
    this.#kinds = kinds;
    this.#options = options;
  }

  /** Starts the processes with these settings, and waits until they reach each other. */
  async start(env: Record<string, string> = {}): Promise<this> {
    const { dataDir = dataFolder(), users = (usual) => usual } = this.#options;
    this.#env = env;
    this.ground = await groundOf(dataDir, usersOf(this.#kinds.filter(isPart)).then(users));
    const starts = await Promise.allSettled(this.#kinds.map((kind) => this.add(kind)));
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed) {
      await this.kill();
      throw failed.reason;
    }
    await this.untilReady();
    return this;
  }

  /** The gateways, as a load balancer knows them. */
  get urls(): string[] {
    return this.#parts.flatMap(({ url }) => url ?? []);
  }

  /** The first gateway that is running. */
  get url(): string {
    return this.urls[0] ?? NOWHERE;
  }

  /** Makes the requests of a person go to the first gateway that is running. */
  follow(person: Person): Person {
    person.call = (method, path, options) =>
      request(this.url, method, path, { token: person.token, ...options });
    return person;
  }

  /** The address of the database. */
  get uri(): string {
    return this.ground.database.uri;
  }

  processesOf(kind: Kind): ServiceProcess[] {
    return this.#parts.filter((part) => part.kind === kind).map(({ process }) => process);
  }

  /** The processes that execute runs. */
  get workers(): ServiceProcess[] {
    return [...this.processesOf(WORKER), ...this.processesOf(WHOLE)];
  }

  /** The processes of the kind, each with the address of its gateway where it has one. */
  addressesOf(kind: Kind): [ServiceProcess, string | undefined][] {
    return this.#parts
      .filter((part) => part.kind === kind)
      .map(({ process, url }) => [process, url]);
  }

  /** One more process of the kind, when it takes calls. */
  async add(kind: Kind, env: Record<string, string> = {}): Promise<ServiceProcess> {
    const process = this.#startProcess(kind, { ...this.#env, ...env });
    const url = await process.ready.catch((error) => {
      process.signal('SIGKILL');
      throw error;
    });
    if (url) await this.#untilReady(url);
    this.#parts.push({ kind, process, url });
    return process;
  }

  #startProcess(kind: Kind, env: Record<string, string>): ServiceProcess {
    if (isPart(kind)) return startPart(this.ground, kind, env);
    return startProcess({ DATA_DIR: this.ground.dataDir, MONGODB_URI: this.uri, ...env });
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

  /** Has `kill` begin with that. */
  atEnd(stop: () => Promise<void>): void {
    this.#atEnd.push(stop);
  }

  /** Ends everything, without a chance to tidy up. */
  async kill(): Promise<void> {
    await Promise.all(this.#atEnd.map((stop) => stop()));
    const processes = this.#parts.map(({ process }) => this.end(process, 'SIGKILL'));
    await Promise.all([...processes, this.ground.nats.kill(), this.killDatabase()]);
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
    await Promise.all(this.urls.map((url) => this.#untilReady(url)));
  }

  /** Waits until the gateway reaches the services that the system was started with. */
  #untilReady(url: string): Promise<unknown> {
    const services = this.#kinds.join().split(',');
    if (services.includes(WHOLE)) return untilReady(url);
    return untilReady(
      url,
      SERVICE_NAMES.filter((name) => !services.includes(name)),
    );
  }
}

const isPart = (kind: Kind): boolean => kind !== WHOLE;
