import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { request } from '../../test/helpers/http.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { startProgram, temporaryFolder, trackProgram } from '../setup.ts';
import { RESTATE_SERVER } from './install.ts';

const LOG_BYTES = 4_000;

/** The durability of Restate by its default configuration: `rocksdb-disable-wal-fsync = false` in `[log-server]`. */
export const RESTATE_DURABILITY =
  'Restate (replicated log, one copy, RocksDB): fsync of the log before a write is acknowledged, concurrent writes share one; survives a power failure';

export interface Restate {
  /** The process ids of the server and of the service. */
  pids: number[];
  /** Invokes a handler, as `flow/run`, and resolves with its end. */
  invoke(handler: string, input: object): Promise<void>;
  /** Starts a workflow with that key, sends it the signal that it waits for, and resolves with its end. */
  approve(key: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts restate-server with its defaults, data of its own and one process with the service. */
export async function startRestate(targetPort: number): Promise<Restate> {
  const service = await startProgram('peers/restate-service.mjs', [String(targetPort)]);
  const [ingress = 0, admin = 0, fabric = 0] = await freePorts(3);
  const server = startServer({ ingress, admin, fabric });
  const adminUrl = `http://127.0.0.1:${admin}`;
  await waitFor("Restate's health", async () => {
    server.assertRunning();
    return (await statusOf(adminUrl, '/health')) === 200;
  });
  const { status, text } = await request(adminUrl, 'POST', '/deployments', {
    body: { uri: `http://127.0.0.1:${service.line}` },
  });
  if (status !== 201) throw new Error(`Restate refuses the deployment: ${status} ${text}`);
  const call = (path: string, input: object) => post(`http://127.0.0.1:${ingress}`, path, input);
  await waitFor('a run of Restate', () =>
    call('/flow/run', { n: 1 }).then(
      () => true,
      () => false,
    ),
  );
  return {
    pids: [server.pid, service.pid],
    invoke: (handler, input) => call(`/${handler}`, input),
    async approve(key) {
      await call(`/approval/${key}/run/send`, {});
      await call(`/approval/${key}/approve`, { by: 'ada' });
      const { status } = await request(
        `http://127.0.0.1:${ingress}`,
        'GET',
        `/restate/workflow/approval/${key}/attach`,
      );
      if (status !== 200) throw new Error(`Restate answered ${status}`);
    },
    async stop() {
      await server.stop();
      service.stop();
    },
  };
}

async function post(url: string, path: string, body: object): Promise<void> {
  const { status, text } = await request(url, 'POST', path, { body });
  if (status >= 300) throw new Error(`Restate answered ${path} with ${status}: ${text}`);
}

const statusOf = (url: string, path: string): Promise<number> =>
  request(url, 'GET', path).then(
    ({ status }) => status,
    () => 0, // it does not listen yet
  );

interface Ports {
  ingress: number;
  admin: number;
  fabric: number;
}

function startServer({ ingress, admin, fabric }: Ports) {
  const folder = temporaryFolder('restate');
  mkdirSync(folder);
  const child = spawn(RESTATE_SERVER, ['--no-logo', '--listen-mode', 'tcp', '--base-dir', folder], {
    cwd: folder,
    env: {
      RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-LOG_BYTES);
    });
  }
  let startError: Error | undefined;
  child.once('error', (error) => {
    startError = error;
  });
  const untrack = trackProgram(child);
  return {
    pid: child.pid ?? 0,
    assertRunning() {
      if (startError) throw startError;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`restate-server ended:\n${log}`);
    },
    async stop() {
      untrack();
      child.kill('SIGKILL'); // its data goes with it
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const probe of probes) {
    await once(probe.listen(0, '127.0.0.1'), 'listening');
    ports.push((probe.address() as AddressInfo).port);
  }
  for (const probe of probes) await once(probe.close(), 'close');
  return ports;
}
