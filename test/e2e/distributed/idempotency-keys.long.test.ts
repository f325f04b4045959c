import { randomUUID } from 'node:crypto';
import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import { e2e } from '../../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../../helpers/http.ts';
import { waitFor } from '../../helpers/wait.ts';
import type { Sample } from '../operation-samples.ts';
import { type Operation, operations } from '../permissions-matrix.ts';
import { makeWorld, sampleEnvironment, type World } from '../sample-world.ts';
import { sampleOf, sendSample } from '../send-sample.ts';

/** Every POST: a contract that a test of its own forgets is covered here. */
const posts = operations.filter(({ method }) => method === 'POST');
const keyed = posts.filter(({ contract }) => takesIdempotencyKey(contract));
const keyless = posts.filter(({ contract }) => !takesIdempotencyKey(contract));

const PARALLEL = 4;
/** Collections whose documents come and go without a request. */
const VOLATILE = ['idempotency_records', 'sequences', 'run_workers', 'run_steps', 'run_tallies'];

const { server, database, stranger } = e2e({ database: true, env: sampleEnvironment });
let world: World;

beforeAll(async () => {
  world = await makeWorld(server.url);
});

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

/** The number of documents in each collection, once what follows every change is carried out. */
async function countDocuments(): Promise<Record<string, number>> {
  const collections = (await database.client.db().collections()).filter(
    ({ collectionName }) => !VOLATILE.includes(collectionName),
  );
  const waiting = { 'outbox.0': { $exists: true } };
  for (const collection of collections) {
    await waitFor('empty outboxes', async () => (await collection.countDocuments(waiting)) === 0);
  }
  const counts = collections.map(async (collection) => [
    collection.collectionName,
    await collection.countDocuments(),
  ]);
  return Object.fromEntries(await Promise.all(counts));
}

/** The body of a repeat: null in the fields that only the first answer shows. */
function repeatedBody({ contract }: Operation, { body }: Answer<object | undefined>) {
  const shownOnce = contract.shownOnce ?? [];
  return body && { ...body, ...Object.fromEntries(shownOnce.map((field) => [field, null])) };
}

interface Done {
  operation: Operation;
  sample: Sample;
  key: string;
  first: Answer<object | undefined>;
}
const done: Done[] = [];

describe.each(keyed)('$name with an Idempotency-Key', (operation) => {
  let sample: Sample;
  let key: string;

  beforeAll(async () => {
    sample = await sampleOf(operation, world);
    key = randomUUID();
  });

  it('is carried out once by requests that come together, and by their repeat', async () => {
    const send = () => sendSample(server.url, operation, sample, withKey(key));
    const together = await Promise.all(Array.from({ length: PARALLEL }, send));
    const [first, ...others] = together.filter(({ status }) => status < 300).sort(byReplay);
    if (!first) throw new Error(`${operation.name}: ${together.map(({ text }) => text)}`);
    expect(isReplay(first)).toBe(false);
    for (const refused of together.filter(({ status }) => status >= 300)) {
      expect([refused.status, refused.headers['retry-after']]).toEqual([409, '1']);
      expect(refused.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_FLIGHT' });
    }
    const before = await countDocuments();
    const repeats = [...others, await send(), await send()];
    for (const repeat of repeats) {
      expect([repeat.status, isReplay(repeat)]).toEqual([first.status, true]);
      expect(repeat.body).toEqual(repeatedBody(operation, first));
      expect(repeat.headers.location).toBe(first.headers.location);
    }
    expect(await countDocuments()).toEqual(before);
    done.push({ operation, sample, key, first });
  });

  it('is 422 as another request', async () => {
    const { body } = sample;
    const changes = body === undefined ? { query: { ...sample.query, other: 1 } } : {};
    const changed = body === undefined ? {} : { body: { ...body, other: 1 } };
    const options = { ...changes, ...changed, ...withKey(key) };
    const answer = await sendSample<ProblemBody>(server.url, operation, sample, options);
    expect([answer.status, answer.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it("has nothing to do with another caller's of the same key", async () => {
    const { 'x-api-key': _key, ...headers } = sample.headers ?? {};
    const foreign = { ...sample, headers, token: stranger.token };
    const answer = await sendSample<ProblemBody>(server.url, operation, foreign, withKey(key));
    expect(isReplay(answer)).toBe(false);
    expect(answer.status).not.toBe(422);
  });

  it('is 400 with an impossible key, after the access check', async () => {
    const wrong = withKey('a b');
    const answer = await sendSample<ProblemBody>(server.url, operation, sample, wrong);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual({
      in: 'header',
      path: 'Idempotency-Key',
      code: 'invalid_format',
      message: expect.any(String),
    });
    if (operation.contract.access.who !== 'member') return;
    const { 'x-api-key': _key, ...headers } = sample.headers ?? {};
    const foreign = { ...sample, headers, token: stranger.token };
    expect((await sendSample(server.url, operation, foreign, wrong)).status).toBe(404);
  });
});

const byReplay = (one: Answer, other: Answer) => Number(isReplay(one)) - Number(isReplay(other));

test.each(keyless)('$name ignores an Idempotency-Key, valid or not', async (operation) => {
  const sample = await sampleOf(operation, world);
  const answer = await sendSample(server.url, operation, sample, withKey('a b'));
  expect(answer.status).toBeLessThan(300);
  expect(isReplay(answer)).toBe(false);
});

test('an answer is repeated after a crash of the service', async () => {
  expect(done.map(({ operation }) => operation.name)).toEqual(keyed.map(({ name }) => name));
  const output = server.output();
  await server.crash();
  for (const { operation, sample, key, first } of done) {
    const again = await sendSample(server.url, operation, sample, withKey(key));
    expect([operation.name, again.status, isReplay(again)]).toEqual([
      operation.name,
      first.status,
      true,
    ]);
    expect(again.body).toEqual(repeatedBody(operation, first));
  }
  const records = await database.collection('idempotency_records').find().toArray();
  const replies = records.map(({ reply }) => reply).filter((reply) => reply !== null);
  expect(replies.length).toBeGreaterThanOrEqual(done.length);
  for (const reply of replies) expect(reply).toMatch(/^[\w-]+$/); // sealed, so no plain text
  const stored = JSON.stringify(records);
  for (const { operation, first } of done) {
    for (const field of operation.contract.shownOnce ?? []) {
      const secret = (first.body as Record<string, unknown>)[field];
      expect(secret).toEqual(expect.any(String));
      expect(stored).not.toContain(secret);
      expect(output).not.toContain(secret);
    }
  }
});
