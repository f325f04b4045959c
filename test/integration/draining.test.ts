import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Draining } from '../../mixins/gateway/connections/draining.ts';

/** Milliseconds for which the process is busy: more than requests are held. */
const BUSY_MS = 400;
const DEADLINE_MS = 3_000;

const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });
let server: Server;
let port: number;
let draining: Draining;
/** Called when the next request has come, which is answered behind it. */
let beforeAnswer: (() => Promise<unknown>) | undefined;
beforeEach(async () => {
  draining = new Draining(0);
  server = createServer(async (_req, res) => {
    await draining.hold;
    await beforeAnswer?.();
    res.end('answer');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  beforeAnswer = undefined;
  server.closeAllConnections();
});
afterAll(() => keepAlive.destroy());

const answer = (agent: Agent | false = false): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent }, (res) => {
      let body = '';
      res.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      res.on('end', () => resolve(body));
    }).on('error', reject);
  });

/** Keeps the event loop busy, so that the kernel alone takes the requests that have been sent. */
async function beBusy(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve)); // the client sends at its end
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
}

async function untilHeld(): Promise<void> {
  while (!draining.hold) await turn();
}

describe('a process that is busy until its port is to close', () => {
  it('answers on the connections that came meanwhile', async () => {
    const drained = draining.drain(server, DEADLINE_MS);
    await untilHeld();
    const answers = Array.from({ length: 50 }, () => answer());
    await beBusy();
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'answer'));
    await drained;
  });

  it('answers the request that came on an open connection', async () => {
    await answer(keepAlive);
    const drained = draining.drain(server, DEADLINE_MS);
    await untilHeld();
    const answered = answer(keepAlive);
    await beBusy();
    expect(await answered).toBe('answer');
    await drained;
  });
});

it('answers the request that comes on an open connection while the process is busy after that', async () => {
  const go = Promise.withResolvers<void>();
  beforeAnswer = () => go.promise;
  const first = answer(keepAlive);
  await once(server, 'request');
  const drained = draining.drain(server, DEADLINE_MS);
  await untilHeld();
  while (server.listening) await turn();
  go.resolve();
  expect(await first).toBe('answer');
  const second = answer(keepAlive);
  await beBusy();
  expect(await second).toBe('answer');
  await drained;
});

it('closes its port although connections never end to come', async () => {
  const connectOnce = () => connect(port, '127.0.0.1').on('error', () => undefined);
  server.on('connection', (socket) => {
    socket.destroy();
    connectOnce();
  });
  const drained = draining.drain(server, DEADLINE_MS);
  await untilHeld();
  for (let n = 0; n < 100; n++) connectOnce(); // the kernel always has some
  await drained;
});
