import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tieSockets } from './cable.ts';
import {
  answeredIdOf,
  collectionOf,
  commandOf,
  idOf,
  isHousekeeping,
  MessageReader,
} from './wire-messages.ts';

/** The lost message: the command on its way to the database, or the answer to an executed command. */
export const CUTS = ['command', 'answer'] as const;
export type Cut = (typeof CUTS)[number];

export interface Outage {
  /** The command that meets it, counted from 1. */
  at: number;
  lost: Cut;
  /** Whether the later commands are lost as well, until the outage is over. */
  lasting: boolean;
  /** Whether a command counts, by its name and its collection. All do unless given. */
  counts?: (command: string, collection: string) => boolean;
}

/** The commands since an outage was ordered. */
export interface Passed {
  commands: string[];
  /** The command that met the outage. */
  cut: string | undefined;
}

/** A proxy to a database that cuts all its connections at a certain command. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #databaseUri: string;
  readonly #sockets = new Set<Socket>();
  #outage: Outage | undefined;
  #passed: Passed = { commands: [], cut: undefined };
  /** Resolves once all connections are cut, where an answer is to be lost that the database has not given yet. */
  #loss: PromiseWithResolvers<void> | undefined;

  private constructor(databaseUri: string) {
    this.#databaseUri = databaseUri;
    this.#server = createServer((client) => this.#lead(client));
  }

  static async start(databaseUri: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(databaseUri);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The address of the proxy, by which the driver looks for the database again after 10 ms instead of half a second. */
  get uri(): string {
    const { port } = this.#server.address() as AddressInfo;
    const own = this.#databaseUri.replace(/:\d+\//, `:${port}/`);
    return `${own}&minHeartbeatFrequencyMS=10`;
  }

  /** Counts commands from here on, the driver's housekeeping apart. */
  order(outage: Outage): void {
    this.#outage = outage;
    this.#passed = { commands: [], cut: undefined };
  }

  /** The command that has met the outage. */
  get cut(): string | undefined {
    return this.#passed.cut;
  }

  /** Lets everything through again, once the answer is lost that is to be lost. */
  async end(): Promise<Passed> {
    this.#outage = undefined;
    await this.#loss?.promise;
    return this.#passed;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#cutAll();
    await closed;
  }

  #lead(client: Socket): void {
    const { hostname, port } = new URL(this.#databaseUri);
    const database = connect(Number(port), hostname);
    tieSockets([client, database], this.#sockets);
    const [commands, answers] = [new MessageReader(), new MessageReader()];
    let lostAnswer: number | undefined;
    client.on('close', () => {
      if (lostAnswer !== undefined) this.#loss?.resolve();
    });
    client.on('data', (chunk: Buffer) => {
      for (const message of commands.push(chunk)) {
        const lost = this.#lossOf(message);
        if (lost === 'command') return this.#cutAll();
        if (lost === 'answer') {
          lostAnswer = idOf(message);
          this.#loss = Promise.withResolvers();
        }
        database.write(message);
      }
    });
    database.on('data', (chunk: Buffer) => {
      for (const message of answers.push(chunk)) {
        if (answeredIdOf(message) === lostAnswer) return this.#cutAll();
        client.write(message);
      }
    });
  }

  /** Which part of the command's way is lost, if any. */
  #lossOf(message: Buffer): Cut | undefined {
    const command = commandOf(message);
    if (!this.#outage || isHousekeeping(command)) return undefined;
    const { at, lost, lasting, counts } = this.#outage;
    const { commands, cut } = this.#passed;
    if (cut === undefined && counts && !counts(command, collectionOf(message))) return undefined;
    commands.push(command);
    if (cut !== undefined) return lasting ? 'command' : undefined;
    if (commands.length < at) return undefined;
    this.#passed.cut = command;
    return lost;
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#loss?.resolve();
    this.#loss = undefined;
  }
}
