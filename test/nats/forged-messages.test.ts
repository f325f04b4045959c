import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionOf } from '@workspace-automation/moleculer-nats';
import { type Context, Errors, type ServiceBroker } from 'moleculer';
import { connect, type NatsConnection } from 'nats';
import { brokerOn, transporterOf } from '../helpers/brokers.ts';
import { Cable } from '../helpers/cable.ts';
import { killNats, TestNats } from '../helpers/nats.ts';
import { waitFor } from '../helpers/wait.ts';

/** Milliseconds within which the call of a process that is gone ends. */
const LOST_WITHIN_MS = 5_000;

let nats: TestNats;
let cable: Cable;
let caller: ServiceBroker;
let callee: ServiceBroker;
/** A process with permissions of its own that sends what it likes. */
let hostile: NatsConnection;
let carriedOut = 0;
let release: (() => void) | undefined;

beforeAll(async () => {
  nats = await TestNats.start();
  cable = new Cable(Number(new URL(nats.url).port));
  await cable.mend();
  caller = brokerOn(nats.url, 'caller').broker;
  callee = brokerOn(nats.url.replace(/\d+$/, String(cable.port)), 'callee').broker;
  callee.createService({
    name: 'things',
    actions: {
      echo: ({ params }: Context<{ n: number }>) => params.n,
      hold: async () => {
        carriedOut++;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return 'late';
      },
      needsAnother: (ctx: Context) => {
        carriedOut++;
        return ctx.call('missing.action');
      },
    },
  });
  await Promise.all([caller.start(), callee.start()]);
  await caller.waitForServices('things');
  hostile = await connect(connectionOf(nats.url));
});
beforeEach(() => {
  carriedOut = 0;
});
afterAll(async () => {
  await hostile.close();
  await Promise.all([caller.stop(), callee.stop()]);
  await cable.cut();
  await killNats();
});

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error) => error,
  );
const echo = (n: number) => caller.call('things.echo', { n }, { timeout: 3_000 });

test('the answer of a process that was taken for dead is dropped', async () => {
  const outcome = failureOf(caller.call('things.hold', {}, { timeout: 60_000 }));
  await waitFor('the call', () => carriedOut === 1);
  const since = performance.now();
  await cable.cut();
  expect(await outcome).toBeInstanceOf(Errors.RequestTimeoutError);
  expect(performance.now() - since).toBeLessThan(LOST_WITHIN_MS);
  const received = jest.spyOn(caller.transit as never, 'responseHandler' as never);
  release?.();
  await cable.mend();
  await waitFor('the late answer', () => received.mock.calls.length > 0);
  received.mockRestore();
  expect(caller.transit?.pendingRequests.size).toBe(0);
  expect(await echo(1)).toBe(1);
  expect(carriedOut).toBe(1);
});

test('a probe tells a node that pretends to offer an action no id, and its denial ends no call', async () => {
  const probes: string[] = [];
  hostile.subscribe('MOL-calls-test.PROBE.liar', {
    callback: (_, msg) => probes.push(msg.string()),
  });
  pretendToOffer('things.hold');
  await waitFor(
    'the pretence',
    () => caller.registry.getActionEndpoints('things.hold')?.count() === 2,
  );
  let hasEnded = false;
  const outcome = caller.call('things.hold', {}, { timeout: 60_000 });
  void outcome.finally(() => {
    hasEnded = true;
  });
  await waitFor('a probe', () => probes.some((probe) => itemsOf(probe).length > 0));
  const [id = ''] = [...(caller.transit?.pendingRequests.keys() ?? [])];
  expect(probes.join()).not.toContain(id);
  const items = probes.flatMap(itemsOf);
  for (const node of ['callee', 'liar']) {
    const denial = JSON.stringify({ node, held: [], missing: items });
    hostile.publish('MOL-calls-test.PROBED.liar.caller', Buffer.from(denial));
  }
  await hostile.flush();
  await sleep(2_000);
  expect(hasEnded).toBe(false);
  release?.();
  expect(await outcome).toBe('late');
});

const itemsOf = (probe: string): string[] => (JSON.parse(probe) as { items: string[] }).items;

/** What a node says to the others of itself. */
function pretendToOffer(action: string): void {
  const services = [
    { name: 'things', fullName: 'things', actions: { [action]: { name: action } } },
  ];
  const info = {
    ver: '5',
    sender: 'liar',
    services,
    instanceID: randomUUID(),
    ipList: [],
    hostname: 'liar',
    client: {},
    config: {},
    metadata: { answersFingerprints: true },
    seq: 1,
  };
  hostile.publish('MOL-calls-test.INFO', Buffer.from(JSON.stringify(info)));
}

test('a service that no process has ever offered is refused at once', async () => {
  const since = performance.now();
  expect(await failureOf(caller.call('missing.action'))).toMatchObject({ code: 404 });
  expect(performance.now() - since).toBeLessThan(500);
});

test('an action that meets a missing service is carried out once and ends at once', async () => {
  const since = performance.now();
  expect(await failureOf(caller.call('things.needsAnother'))).toMatchObject({
    code: 503,
    type: 'DEPENDENCY_NOT_AVAILABLE',
  });
  expect(performance.now() - since).toBeLessThan(1_000);
  expect(carriedOut).toBe(1);
});

test('a server that ends each connection is not connected to without a pause', async () => {
  let connections = 0;
  const info = { server_id: 'x', version: '2.10.0', max_payload: 1_000_000, headers: true };
  const server = createServer((socket: Socket) => {
    connections++;
    socket.on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
      setTimeout(() => socket.destroy(), 5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { broker } = brokerOn(`nats://127.0.0.1:${port}`, 'flapping');
  await broker.start();
  connections = 0;
  await waitFor('a connection', () => connections > 0);
  await sleep(2_000);
  expect(connections).toBeLessThan(15);
  await transporterOf(broker).disconnect();
  server.close();
  await broker.stop();
});
