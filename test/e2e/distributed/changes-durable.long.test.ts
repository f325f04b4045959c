import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { randomOf } from '../../faults/random.ts';
import { startWithDatabase } from '../../helpers/own-database.ts';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { stopServers, type TestServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

const SEED = Date.now() % 1_000_000;
const ROUNDS = 4;
const WRITERS = 8;

const random = randomOf(SEED);
let server: TestServer;
let owner: Person;
let workspaceId: number;
let client: mongo.MongoClient;

beforeAll(async () => {
  const started = await startWithDatabase({ PUBLIC_URL: 'http://service.test' });
  server = started.server;
  client = await new mongo.MongoClient(started.database.uri).connect();
  owner = await registerVerified(server.url);
  workspaceId = await createWorkspace(owner);
});
afterAll(async () => {
  await client.close();
  await stopServers();
});

/** A request that was sent, and whether it was acknowledged before the kill. */
interface Sent {
  requestId: string;
  isAcknowledged: boolean;
}

/** Raises, changes and deletes issues one after another until the server is gone. */
async function write(
  round: number,
  writer: number,
  { sent, isKilled }: { sent: Sent[]; isKilled: () => boolean },
): Promise<void> {
  const issues = `/workspaces/${workspaceId}/issues`;
  let count = 0;
  const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const one = { requestId: `s${SEED}-${round}-${writer}-${count++}`, isAcknowledged: false };
    sent.push(one);
    const headers = { 'x-request-id': one.requestId };
    const answer = await owner.call<{ id: number }>(method, path, {
      headers,
      ...(body ? { body } : {}),
    });
    one.isAcknowledged = answer.status < 300;
    if (!one.isAcknowledged) throw new Error(`${method} answered ${answer.status}`);
    return answer.body;
  };
  try {
    for (;;) {
      const { id } = await send('POST', issues, { title: 'a', description: '' });
      await send('PUT', `${issues}/${id}`, { title: 'b' });
      if (random() < 0.5) await send('DELETE', `${issues}/${id}`);
    }
  } catch (error) {
    if (!isKilled()) throw error;
  }
}

const entries = () => client.db().collection('audit_entries');
const hasOutbox = { $or: [{ 'outbox.0': { $exists: true } }, { removedAt: { $exists: true } }] };
const untilCarriedOn = () =>
  waitFor(
    'empty outboxes',
    async () => (await client.db().collection('issues').countDocuments(hasOutbox)) === 0,
  );

test(`each acknowledged change has one audit entry after kill -9 (seed ${SEED})`, async () => {
  let acknowledged = 0;
  let left = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const sent: Sent[] = [];
    let isKilled = false;
    const writing = Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        write(round, writer, { sent, isKilled: () => isKilled }),
      ),
    );
    const isUnderWay = () => sent.filter(({ isAcknowledged }) => isAcknowledged).length >= WRITERS;
    await Promise.race([writing, waitFor('acknowledged changes', async () => isUnderWay())]);
    await Promise.race([writing, sleep(random() * 500)]);
    isKilled = true;
    await server.kill();
    await writing;
    left += await client.db().collection('issues').countDocuments(hasOutbox);
    await server.restart();
    await untilCarriedOn();
    acknowledged += sent.filter(({ isAcknowledged }) => isAcknowledged).length;
    for (const { requestId, isAcknowledged } of sent) {
      const count = await entries().countDocuments({ requestId });
      expect([requestId, count]).toEqual([requestId, isAcknowledged || count > 0 ? 1 : 0]);
    }
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS);
  expect(left).toBeGreaterThan(0); // kills came between writes and what follows them
  const changes = await entries().countDocuments({ operation: 'issues.create', workspaceId });
  const removals = await entries().countDocuments({ operation: 'issues.remove', workspaceId });
  expect(await client.db().collection('issues').countDocuments()).toBe(changes - removals);
}, 300_000);
