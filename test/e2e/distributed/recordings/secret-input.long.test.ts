import { e2e, started } from '../../../fixtures/e2e.ts';
import { createRecording, key, sendEvents } from '../../../helpers/recordings.ts';
import { SpanCollector } from '../../../helpers/span-collector.ts';
import { type Canary, foundIn, makeCanaries } from '../../secrets/canaries.ts';
import { databaseFiles } from '../../secrets/database-files.ts';

/** Text that is kept: without it a search would have looked at the wrong places. */
const MARKER = 'marker-of-the-search';
const [canary] = makeCanaries(1) as [Canary];

const collector = started(new SpanCollector());
const { server, owner, workspace } = e2e({
  env: () => ({ ...collector.env, LOG_LEVEL: 'trace' }),
});

test('masked input is nowhere afterwards: in no answer, file, line of the log or span', async () => {
  const { id } = await createRecording(owner, workspace.id);
  const masked = { type: 'TEXT', afterMs: 1, text: canary.secret, masked: true };
  const keys = [...canary.secret].map((name) => ({ ...key(name), masked: true }));
  const events = [{ ...masked, masked: false, text: MARKER }, masked, ...keys];
  const path = `/recordings/${id}/events`;
  const answers: string[] = [];
  const send = async (body: object, headers = {}) => {
    const { status, text } = await owner.call('POST', path, { body, headers });
    answers.push(text);
    return status;
  };
  const headers = { 'idempotency-key': 'masked-batch' };
  expect(await send({ sequence: 1, events }, headers)).toBe(200);
  expect(await send({ sequence: 1, events }, headers)).toBe(200);
  const faulty = { ...headers, 'idempotency-key': 'faulty-batch' };
  expect(await send({ sequence: 2, events: [{ ...masked, x: 1 }] }, faulty)).toBe(400);
  expect(await send({ sequence: 5, events })).toBe(409);
  expect(await send({ sequence: 1, events: [masked] })).toBe(409);
  expect(await send({ sequence: 2, events: [{ ...masked, x: 1 }] })).toBe(400);
  expect(await send({ sequence: 2, events: [{ ...masked, masked: 'yes' }] })).toBe(400);
  expect(await send({ sequence: 2, events: [{ ...masked, key: canary.secret }] })).toBe(400);
  answers.push((await owner.call('GET', `/recordings/${id}`)).text);
  const steps = (await owner.call('GET', `/recordings/${id}/steps`)).text;
  answers.push(steps);
  await server.stop(); // sends the last spans, and closes the files

  expect(steps).toContain(MARKER);
  const files = databaseFiles(server.dataDir);
  expect(files).toContain(MARKER);
  const spans = collector.received.map(({ body }) => body).join('\n');
  expect(spans).toContain('recordings.appendEvents');
  const everything = { answers: answers.join('\n'), files, log: server.output(), spans };
  for (const text of Object.values(everything)) expect(foundIn(text, [canary])).toEqual([]);
});

test('the length of masked input is not kept', async () => {
  await server.restart();
  const counts: unknown[] = [];
  for (const length of [1, 40]) {
    const { id } = await createRecording(owner, workspace.id);
    const keys = Array.from({ length }, () => ({ ...key('p', 0), masked: true }));
    const text = { type: 'TEXT', afterMs: 0, text: 'p'.repeat(length), masked: true };
    expect((await sendEvents(owner, id, 1, [...keys, text])).status).toBe(200);
    const { body } = await owner.call<{ eventCount: number }>('GET', `/recordings/${id}`);
    const { text: steps } = await owner.call('GET', `/recordings/${id}/steps`);
    counts.push([body.eventCount, steps]);
  }
  expect(counts[0]).toEqual([2, expect.stringContaining('"masked":true')]);
  expect(counts[1]).toEqual(counts[0]);
});
