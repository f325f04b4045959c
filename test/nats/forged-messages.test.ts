import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, Errors } from 'moleculer';
import { nodes } from '../fixtures/nodes.ts';
import { brokerOn, transporterOf } from '../helpers/brokers.ts';
import { Cable } from '../helpers/cable.ts';
import { failureOf, waitFor } from '../helpers/wait.ts';

/** Milliseconds within which the call of a process that is gone ends. */
const LOST_WITHIN_MS = 5_000;

let carriedOut = 0;
let release: (() => void) | undefined;

const { nats, node, hostile } = nodes();
let cable: Cable;
beforeAll(async () => {
  cable = new Cable(Number(new URL(nats.url).port));
  await cable.mend();
});
afterAll(() => cable.cut());

const caller = node('caller');
node('callee', {
  port: () => cable.port,
  service: {
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
  },
});
beforeAll(() => caller.untilOffered('things.echo', 'callee'));
beforeEach(() => {
  carriedOut = 0;
});

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
  expect(caller.pendingCalls).toBe(0);
  expect(await echo(1)).toBe(1);
  expect(carriedOut).toBe(1);
});

test('a probe tells a node that pretends to offer an action no id, and its denial ends no call', async () => {
  const probes = hostile.listen('MOL-calls-test.PROBE.liar');
  pretendToOffer('things.hold');
  await caller.untilOffered('things.hold', 'liar');
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
    hostile.send('PROBED.liar.caller', denial);
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
  hostile.send('INFO', JSON.stringify(info));
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

const send = (kind: string, nodeID: string, content: string): Promise<void> => {
  hostile.send(`${kind}.${nodeID}`, content);
  return hostile.flush();
};

test.each(['PROBE', 'PROBED', 'STREAM'])(
  'a message that is not valid does not end the reading of a connection: %s',
  async (kind) => {
    for (const nodeID of ['caller', 'callee']) {
      for (const content of ['', 'no JSON', 'null', '{}', '{"type":"data","id":1}\n']) {
        await send(kind, nodeID, content);
      }
    }
    expect(await echo(7)).toBe(7);
  },
);

test.each(['PROBE', 'PING', 'DISCOVER'])(
  'a node whose name is a command of the protocol has nothing sent in its name: %s',
  async (kind) => {
    const stolen = hostile.listen('stolen');
    const name = 'x 0\r\n\r\nPUB stolen 5\r\nhello\r\nPUB y';
    const packet = { ver: '5', sender: name, asker: name, ids: [], id: '1', time: 1 };
    await send(kind, 'callee', JSON.stringify(packet));
    expect(await echo(8)).toBe(8);
    await hostile.flush();
    expect(stolen).toEqual([]);
  },
);

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
