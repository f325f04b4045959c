import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordsFile } from '../../deploy/nats-passwords.ts';
import { type NatsUser, usersFile } from '../../deploy/nats-users-file.ts';
import { freePort } from './free-port.ts';
import { exitOf } from './process.ts';
import { waitFor } from './wait.ts';

const USER = 'service';
const PASSWORD = 'only-for-tests';
const servers = new Set<TestNats>();

/** Ends every nats-server that was started here. Throws when one of them refused what a user of it did. */
export async function killNats(): Promise<void> {
  await Promise.all([...servers].map((server) => server.remove()));
  const refusals = [...servers].flatMap((server) => server.refusals());
  servers.clear();
  if (refusals.length) throw new Error(`nats-server refused:\n${refusals.join('\n')}`);
}

interface SpawnOptions {
  /** Whether the server is up, by its log so far. */
  isReady?: (log: string) => boolean;
  output?: (text: string) => void;
}

/** Starts a process of nats-server by a file of its configuration. Resolves when it is ready, with its log until then. */
export async function spawnNats(
  configuration: string,
  { isReady = (log) => log.includes('Server is ready'), output }: SpawnOptions = {},
): Promise<{ child: ChildProcess; log: string }> {
  const child = spawn('nats-server', ['--config', configuration], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  // The log is read to the end: nats-server does not survive a pipe that nobody reads.
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
    output?.(chunk.toString());
  });
  child.once('error', () => {
    log = 'nats-server is not installed: on Debian, apt-get install nats-server';
  });
  await waitFor('nats-server', () => {
    if (isReady(log)) return true;
    if (child.pid === undefined || child.exitCode !== null) throw new Error(log);
    return false;
  }).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { child, log };
}

/** A real nats-server on a port of its own: a user who may do everything, and those given. */
export class TestNats {
  #port = 0;
  readonly #users: readonly NatsUser[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'nats-'));
  #child: ChildProcess | undefined;
  #log = '';

  constructor(users: readonly NatsUser[] = []) {
    this.#users = users;
    servers.add(this);
  }

  static async start(users: readonly NatsUser[] = []): Promise<TestNats> {
    const server = await TestNats.notYet(users);
    await server.start();
    return server;
  }

  /** Makes a server that has an address and is not started. */
  static notYet(users: readonly NatsUser[] = []): Promise<TestNats> {
    return new TestNats(users).reservePort();
  }

  /** Gives the server its address, which it keeps. */
  async reservePort(): Promise<this> {
    this.#port ||= await freePort();
    return this;
  }

  get url(): string {
    return `nats://${USER}:${PASSWORD}@127.0.0.1:${this.#port}`;
  }

  /** The address for one of the users, or for the one who may do everything. */
  urlOf(user: string): string {
    const known = this.#users.some(({ name }) => name === user);
    return known ? this.url.replace(`//${USER}:`, `//${user}:`) : this.url;
  }

  /** Returns the lines of the log in which nats-server has refused an action of a user. */
  refusals(): string[] {
    return this.#log.split('\n').filter((line) => line.includes('Permissions Violation'));
  }

  /** Forgets the refusals so far, which a test has expected. */
  forgetRefusals(): void {
    this.#log = '';
  }

  /** @param password that it asks the user of `url` for; unless given, the one in `url` */
  async start(password = PASSWORD): Promise<void> {
    await this.reservePort();
    const { child } = await spawnNats(this.#configuration(password), {
      output: (text) => {
        this.#log += text;
      },
    });
    this.#child = child;
  }

  /** As the container gets it, on a port of its own and with a user more. */
  #configuration(password: string): string {
    const everything: NatsUser = { name: USER, publish: ['>'], subscribe: ['>'] };
    const users = [everything, ...this.#users];
    const passwords = users.map(({ name }) => [name, name === USER ? password : PASSWORD]);
    const files = {
      'nats-server.conf': `listen: "127.0.0.1:${this.#port}"\ninclude "users.conf"\n`,
      'users.conf': usersFile(users),
      'passwords.conf': passwordsFile(Object.fromEntries(passwords)),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#folder, name), text);
    return join(this.#folder, 'nats-server.conf');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Stops the process by SIGSTOP. Resolves when none of its threads runs. */
  async freeze(): Promise<void> {
    this.signal('SIGSTOP');
    const tasks = `/proc/${this.#child?.pid}/task`;
    const stands = (id: string) => /\) [tT] /.test(readFileSync(`${tasks}/${id}/stat`, 'utf8'));
    await waitFor('nats-server to stand still', () => readdirSync(tasks).every(stands));
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child?.pid) return;
    child.kill('SIGKILL');
    await exitOf(child);
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
