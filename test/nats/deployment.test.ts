import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionOf, NatsTransporter, nodeIdOf } from '@workspace-automation/moleculer-nats';
import { ServiceBroker } from 'moleculer';
import { connect, type Msg, type NatsConnection } from 'nats';
import { GROUPS } from '../../deploy/secrets.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { spawnNats } from '../helpers/nats.ts';
import { exitOf, startProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';
import { ROOT, textOf } from '../integration/deploy/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'nats-'));
const dataDir = dataFolder();
const secrets: Record<string, string> = Object.assign({}, ...GROUPS.map((group) => group.make()));
let server: ChildProcess | undefined;
let port = '';

/** The configuration as the container gets it, on ports of its own. */
async function startNats(): Promise<void> {
  const config = textOf('deploy/nats/nats-server.conf')
    .replace('port: 4222', 'listen: "127.0.0.1:-1"')
    .replace('127.0.0.1:8222', '127.0.0.1:-1');
  writeFileSync(join(folder, 'nats-server.conf'), config);
  writeFileSync(join(folder, 'users.conf'), textOf('deploy/nats/users.conf'));
  writeFileSync(join(folder, 'passwords.conf'), secrets['nats-passwords.conf'] ?? '');
  const { child, log } = await spawnNats(join(folder, 'nats-server.conf'));
  server = child;
  port = /client connections on \S+:(\d+)/.exec(log)?.[1] ?? '';
}

function signIn(): Promise<NatsConnection> {
  const { username: user, password: pass } = new URL(secrets['nats-url-flows'] ?? '');
  return connect({ servers: `127.0.0.1:${port}`, user, pass });
}

const address = (): string =>
  secrets['nats-url-flows']?.replace('nats:4222', `127.0.0.1:${port}`) ?? '';

/** The health check of a container that runs `flows`, or what is said. */
async function health(env: Record<string, string> = {}): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'deploy/health.ts')], {
    env: { PATH: process.env.PATH, SERVICES: 'flows', NATS_URL: address(), ...env },
  });
  const [code] = await once(child, 'exit');
  return code;
}

describe('nats-server with our configuration', () => {
  beforeAll(startNats);
  afterAll(async () => {
    await stopServers();
    server?.kill();
    if (server) await exitOf(server);
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
    await expect(connect({ servers, user: 'flows', pass: 'x' })).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
  });

  it('tells a process of this host that takes calls from one that has only connected', async () => {
    expect(await health()).toBe(1);
    const reserved = await startDatabase(dataDir);
    const { port: databasePort } = new URL(reserved.uri);
    await reserved.stop();
    const part = startProcess({
      DATA_DIR: dataDir,
      MONGODB_URI: reserved.uri,
      NATS_URL: address(),
      SERVICES: 'flows',
      LOG_LEVEL: 'debug',
    });
    await waitFor('its start', () => part.output().includes('started successfully'));
    expect(await health()).toBe(1);

    await startDatabase(dataDir, Number(databasePort));
    await part.ready;
    expect(await health()).toBe(0);
    // As every process of the service takes it: several addresses, and characters that are escaped.
    const [, password = ''] = /:(\w+)@/.exec(address()) ?? [];
    const escaped = `%${password.charCodeAt(0).toString(16)}${password.slice(1)}`;
    const addresses = `nats://127.0.0.1:9,${address().replace(password, escaped)}`;
    expect(await health({ NATS_URL: addresses })).toBe(0);

    part.signal('SIGSTOP');
    expect(await health()).toBe(1);
    part.signal('SIGCONT');
    part.signal('SIGTERM');
    expect(await part.exited).toBe(0);
    expect(await health()).toBe(1);
  });

  it('takes neither a process of another host nor a console for the one that is asked for', async () => {
    const connection = await signIn();
    const answer = (_: unknown, message: Msg) => void message.respond();
    connection.subscribe('MOL-workspace-automation.UP.node.flows.elsewhere', { callback: answer });
    const beside = new ServiceBroker({
      ...brokerOptions,
      nodeID: nodeIdOf('flows', 'beside'),
      transporter: new NatsTransporter(connectionOf(address())) as never,
      disableBalancer: true,
      logger: false,
    });
    await beside.start();
    const code = await health();
    await beside.stop();
    await connection.close();
    expect(code).toBe(1);
  });

  it('asks a gateway whether it is ready', async () => {
    let status = 503;
    const gateway = createServer(({ url }, res) => {
      res.writeHead(url === '/health/ready' ? status : 200).end();
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    const { port: gatewayPort } = gateway.address() as AddressInfo;
    const asked = { SERVICES: 'api', PORT: String(gatewayPort) };
    expect(await health(asked)).toBe(1);
    status = 200;
    expect(await health(asked)).toBe(0);
    gateway.close();
  });
});
