import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../helpers/free-port.ts';
import { exitOf } from '../helpers/process.ts';
import { comes } from '../helpers/wait.ts';
import { textOf } from '../integration/deploy/project.ts';

const run = promisify(execFile);

/** The addresses of the gateways in the examples. */
const EXAMPLE_GATEWAYS = ['10.0.0.11:3000', '10.0.0.12:3000'] as const;

/** The programs for which `deploy/` has an example. */
export const PROGRAMS = ['nginx', 'haproxy'] as const;
export type Program = (typeof PROGRAMS)[number];

/** A load balancer with the configuration of `deploy/`, on ports and with a certificate of its own. */
export class LoadBalancer {
  readonly port: number;
  readonly plainPort: number;
  readonly #folder: string;
  readonly #command: readonly [string, ...string[]];
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(
    folder: string,
    port: number,
    plainPort: number,
    command: readonly [string, ...string[]],
  ) {
    this.#folder = folder;
    this.port = port;
    this.plainPort = plainPort;
    this.#command = command;
  }

  /** Writes the configuration to the folder. The gateways are two `host:port`. */
  static async of(
    program: Program,
    folder: string,
    gateways: readonly string[],
  ): Promise<LoadBalancer> {
    const [port, plainPort] = [await freePort(), await freePort()];
    await makeCertificate(folder);
    const write = program === 'nginx' ? writeNginx : writeHaproxy;
    return new LoadBalancer(folder, port, plainPort, write(folder, gateways, port, plainPort));
  }

  /** Resolves with what the program says of its configuration; rejects where it refuses the configuration. */
  async check(): Promise<string> {
    const [file, ...args] = this.#command;
    const test = file === 'nginx' ? '-t' : '-c';
    const { stdout, stderr } = await run(file, [test, ...args.filter((word) => word !== '-db')]);
    return stdout + stderr;
  }

  async start(): Promise<void> {
    const [file, ...args] = this.#command;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#log += chunk;
      });
    }
    const answers = () =>
      fetch(`http://127.0.0.1:${this.plainPort}/`, { redirect: 'manual' }).then(
        ({ status }) => status === 308,
        () => false,
      );
    if (!(await comes(answers, 60_000))) throw new Error(`${file} does not answer: ${this.#log}`);
  }

  /** The certificate by which clients know the load balancer as `localhost`. */
  get certificate(): string {
    return readFileSync(join(this.#folder, 'fullchain.pem'), 'utf8');
  }

  async stop(): Promise<void> {
    if (!this.#child) return;
    this.#child.kill('SIGTERM');
    await exitOf(this.#child);
  }
}

async function makeCertificate(folder: string): Promise<void> {
  const ask =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  await run('openssl', [...ask.split(' '), ...files]);
  const texts = files.filter((_, at) => at % 2 === 1).map((path) => readFileSync(path, 'utf8'));
  writeFileSync(join(folder, 'both.pem'), texts.join(''));
}

/** Replaces each text by the other; throws where the example does not have it. */
function replaced(path: string, changes: Readonly<Record<string, string>>): string {
  let text = textOf(path);
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const gatewayChanges = (gateways: readonly string[]) =>
  Object.fromEntries(EXAMPLE_GATEWAYS.map((example, at) => [example, gateways[at] ?? '']));

function writeNginx(
  folder: string,
  gateways: readonly string[],
  port: number,
  plainPort: number,
): [string, ...string[]] {
  const site = replaced('deploy/nginx/workspace-automation.conf', {
    ...gatewayChanges(gateways),
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    'listen [::]:443 ssl': `listen [::1]:${port} ssl`,
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    'listen [::]:80;': `listen [::1]:${plainPort};`,
    '/etc/ssl/workspace-automation/': `${folder}/`,
  });
  writeFileSync(join(folder, 'site.conf'), site);
  // The rest is Debian's nginx.conf, in a folder of its own.
  mkdirSync(join(folder, 'temp'), { recursive: true });
  const paths = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi'].map(
    (kind) => `${kind}_temp_path ${folder}/temp/${kind};`,
  );
  const main = `user ${userInfo().username};
pid ${folder}/nginx.pid;
error_log stderr;
daemon off;
events { worker_connections 768; }
http {
  access_log off;
  ${paths.join('\n  ')}
  include ${folder}/site.conf;
}
`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
}

function writeHaproxy(
  folder: string,
  gateways: readonly string[],
  port: number,
  plainPort: number,
): [string, ...string[]] {
  const text = replaced('deploy/haproxy/haproxy.cfg', {
    ...gatewayChanges(gateways),
    'bind :443': `bind 127.0.0.1:${port}`,
    'bind :80': `bind 127.0.0.1:${plainPort}`,
    '/etc/ssl/workspace-automation.pem': `${folder}/both.pem`,
    'log /dev/log local0': 'log stderr format raw local0 warning',
    'maxconn 20000': 'maxconn 2000', // what the file descriptors of a bare machine allow
    'user haproxy\n': '\n',
    'group haproxy\n': '\n',
  });
  writeFileSync(join(folder, 'haproxy.cfg'), text);
  return ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')];
}
