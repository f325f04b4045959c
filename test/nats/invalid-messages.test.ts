import { connectionOf } from '@workspace-automation/moleculer-nats';
import type { Context, ServiceBroker } from 'moleculer';
import { connect, type NatsConnection } from 'nats';
import { brokerOn } from '../helpers/brokers.ts';
import { killNats, TestNats } from '../helpers/nats.ts';
import { waitFor } from '../helpers/wait.ts';

let nats: TestNats;
let caller: ServiceBroker;
let callee: ServiceBroker;
let hostile: NatsConnection;

beforeAll(async () => {
  nats = await TestNats.start();
  caller = brokerOn(nats.url, 'caller').broker;
  callee = brokerOn(nats.url, 'callee').broker;
  callee.createService({
    name: 'things',
    actions: { echo: ({ params }: Context<{ n: number }>) => params.n },
  });
  await Promise.all([caller.start(), callee.start()]);
  await waitFor('the callee', () => caller.registry.getActionEndpoints('things.echo')?.count());
  hostile = await connect(connectionOf(nats.url));
});
afterAll(async () => {
  await hostile.close();
  await Promise.all([caller.stop(), callee.stop()]);
  await killNats();
});

const send = async (kind: string, node: string, content: string): Promise<void> => {
  hostile.publish(`MOL-calls-test.${kind}.${node}`, Buffer.from(content));
  await hostile.flush();
};

test.each(['PROBE', 'PROBED', 'STREAM'])(
  'a message that is not valid does not end the reading of a connection: %s',
  async (kind) => {
    for (const node of ['caller', 'callee']) {
      for (const content of ['', 'no JSON', 'null', '{}', '{"type":"data","id":1}\n']) {
        await send(kind, node, content);
      }
    }
    expect(await caller.call('things.echo', { n: 7 }, { timeout: 3_000 })).toBe(7);
  },
);

test.each(['PROBE', 'PING', 'DISCOVER'])(
  'a node whose name is a command of the protocol has nothing sent in its name: %s',
  async (kind) => {
    const stolen: string[] = [];
    hostile.subscribe('stolen', { callback: (_, msg) => stolen.push(msg.string()) });
    const name = 'x 0\r\n\r\nPUB stolen 5\r\nhello\r\nPUB y';
    const packet = { ver: '5', sender: name, asker: name, ids: [], id: '1', time: 1 };
    await send(kind, 'callee', JSON.stringify(packet));
    expect(await caller.call('things.echo', { n: 8 }, { timeout: 3_000 })).toBe(8);
    await hostile.flush();
    expect(stolen).toEqual([]);
  },
);
