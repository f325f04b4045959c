import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from 'nats';
import { GROUPS } from '../../deploy/secrets.ts';
import { waitFor } from '../helpers/wait.ts';
import { ROOT, textOf } from '../unit/deploy/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'nats-'));
const secrets: Record<string, string> = Object.assign({}, ...GROUPS.map((group) => group.make()));
let server: ChildProcess | undefined;
let port = '';

/** The configuration as the container gets it, on ports of its own. */
async function startNats(): Promise<void> {
  const config = textOf('deploy/nats/nats-server.conf')
    .replace('port: 4222', 'listen: "127.0.0.1:-1"')
    .replace('127.0.0.1:8222', '127.0.0.1:-1');
  writeFileSync(join(folder, 'nats-server.conf'), config);
  writeFileSync(join(folder, 'authorization.conf'), secrets['nats-authorization.conf'] ?? '');
  server = spawn('nats-server', ['--config', join(folder, 'nats-server.conf')]);
  let log = '';
  server.stderr?.on('data', (chunk) => {
    log += chunk; // read to the end: nats-server does not survive a pipe that nobody reads
  });
  await waitFor('nats-server', () => log.includes('Server is ready'));
  port = /client connections on \S+:(\d+)/.exec(log)?.[1] ?? '';
}

function signIn(): Promise<NatsConnection> {
  const { username: user, password: pass } = new URL(secrets['nats-url'] ?? '');
  return connect({ servers: `127.0.0.1:${port}`, user, pass });
}

const address = (): string => secrets['nats-url']?.replace('nats:4222', `127.0.0.1:${port}`) ?? '';

/** The health check of a container that runs `flows`. */
async function health(natsUrl = address()): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'deploy/health.ts')], {
    env: { PATH: process.env.PATH, SERVICES: 'flows', NATS_URL: natsUrl },
  });
  const [code] = await once(child, 'exit');
  return code;
}

describe('nats-server with our configuration', () => {
  beforeAll(startNats);
  afterAll(async () => {
    server?.kill();
    if (server?.exitCode === null && !server.signalCode) await once(server, 'exit');
    rmSync(folder, { recursive: true });
  });

  it('takes messages of 4 MB from whoever has the password', async () => {
    const connection = await signIn();
    expect(connection.info?.max_payload).toBe(4 * 1024 * 1024);
    await connection.close();
  });

  it('refuses everybody else', async () => {
    const servers = `127.0.0.1:${port}`;
    await expect(connect({ servers })).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
    await expect(connect({ servers, user: 'service', pass: 'x' })).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
  });

  it("tells a node of this host that answers from one that doesn't", async () => {
    expect(await health()).toBe(1);
    const connection = await signIn();
    let sender = 'elsewhere-1';
    connection.subscribe('MOL-workspace-automation.PING', {
      callback: (_, ping) => {
        const asker = ping.json<{ sender: string }>().sender;
        connection.publish(`MOL-workspace-automation.PONG.${asker}`, JSON.stringify({ sender }));
      },
    });
    expect(await health()).toBe(1);
    sender = `${hostname()}-1`;
    expect(await health()).toBe(0);
    // As every process of the service takes it: several addresses, and characters that are escaped.
    const [, password = ''] = /:(\w+)@/.exec(address()) ?? [];
    const escaped = `%${password.charCodeAt(0).toString(16)}${password.slice(1)}`;
    expect(await health(`nats://127.0.0.1:9,${address().replace(password, escaped)}`)).toBe(0);
    await connection.close();
  });
});
