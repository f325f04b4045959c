import { setTimeout as sleep } from 'node:timers/promises';
import { EventReceiver } from '../../helpers/event-receiver.ts';
import { request } from '../../helpers/http.ts';
import { startServer, stopServers, type TestServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';
import { Subscriber } from './subscriber.ts';

/** Rounds of changes, in each of which the process is killed at another moment. */
const ROUNDS = 3;
const CHANGES = 12;

let receiver: EventReceiver;
let server: TestServer;

beforeAll(async () => {
  receiver = await EventReceiver.start();
  server = await startServer({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
});
afterAll(async () => {
  await receiver.stop();
  await stopServers();
});

test('a process that is killed while it delivers loses no event and no order', async () => {
  const subscriber = await Subscriber.register(server.url);
  const { token } = subscriber.owner;
  await subscriber.subscribe(`${receiver.origin}/killed`, ['issue.created', 'issue.updated']);
  const { id } = await subscriber.raise('0');
  let n = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    for (let change = 0; change < CHANGES; change++) {
      const path = `/workspaces/${subscriber.workspaceId}/issues/${id}`;
      const { status } = await request(server.url, 'PUT', path, {
        token,
        body: { title: String(++n) },
      });
      expect(status).toBe(200);
    }
    await sleep(round * 40); // the moment of the kill: before, during or after the deliveries
    await server.kill();
    await server.restart();
  }
  await waitFor('all events', () => new Set(titles()).size === n + 1);
  const first = titles().filter((title, at, all) => all.indexOf(title) === at);
  expect(first).toEqual(Array.from({ length: n + 1 }, (_, title) => String(title)));
}, 120_000);

const titles = (): string[] => receiver.at('/killed').map(({ body }) => String(body.data.title));
