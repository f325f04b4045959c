import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { exitOf } from './process.ts';
import { waitFor } from './wait.ts';

const USER = 'service';
const PASSWORD = 'only-for-tests';
const servers = new Set<TestNats>();

/** Ends every nats-server that was started here. */
export async function killNats(): Promise<void> {
  await Promise.all([...servers].map((server) => server.kill()));
}

/** A real nats-server on a port of its own, with a user and a password. */
export class TestNats {
  readonly url: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.#port = port;
    this.url = `nats://${USER}:${PASSWORD}@127.0.0.1:${port}`;
  }

  static async start(): Promise<TestNats> {
    const server = await TestNats.notYet();
    await server.start();
    return server;
  }

  /** One that has an address and does not run yet. */
  static async notYet(): Promise<TestNats> {
    const server = new TestNats(await freePort());
    servers.add(server);
    return server;
  }

  /** @param password that it asks for; unless given, the one in `url` */
  async start(password = PASSWORD): Promise<void> {
    const options = ['-a', '127.0.0.1', '-p', String(this.#port), '--user', USER];
    const child = spawn('nats-server', [...options, '--pass', password], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    child.once('error', () => {
      log = 'nats-server is not installed: on Debian, apt-get install nats-server';
    });
    await waitFor('nats-server', () => {
      if (/Server is ready/.test(log)) return true;
      if (child.pid === undefined || child.exitCode !== null) throw new Error(log);
      return false;
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Makes it stand still; none of its threads runs any more when this resolves. */
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
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
