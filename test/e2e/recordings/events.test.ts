import { e2e } from '../../fixtures/e2e.ts';
import {
  click,
  createRecording,
  key,
  move,
  type RecordingAnswer,
  record,
  sendEvents,
} from '../../helpers/recordings.ts';

const { owner, workspace } = e2e();

let id: number;

beforeEach(async () => {
  ({ id } = await createRecording(owner, workspace.id));
});

const counts = async () => {
  const { body } = await owner.call<RecordingAnswer>('GET', `/recordings/${id}`);
  return [body.nextSequence, body.eventCount];
};
const send = async (sequence: number, events: readonly object[]) => {
  const { status, body } = await sendEvents(owner, id, sequence, events);
  return [status, body.code, body.nextSequence];
};

it('come in batches with numbers from 1', async () => {
  expect(await send(1, [click(1), click(2)])).toEqual([200, undefined, 2]);
  expect(await send(2, [click(3)])).toEqual([200, undefined, 3]);
  expect(await counts()).toEqual([3, 3]);
});

it('change nothing when a batch is sent again', async () => {
  await record(owner, id, 1, [click(1)]);
  await record(owner, id, 2, [click(2)]);
  expect(await send(1, [click(1)])).toEqual([200, undefined, 3]);
  expect(await send(2, [click(2)])).toEqual([200, undefined, 3]);
  expect(await counts()).toEqual([3, 2]);
});

it('are refused with the next number when batches are missing', async () => {
  await record(owner, id, 1, [click(1)]);
  expect(await send(3, [click(2)])).toEqual([409, 'SEQUENCE_GAP', 2]);
  expect(await counts()).toEqual([2, 1]);
});

it('are refused with the next number when other events have theirs', async () => {
  await record(owner, id, 1, [click(1)]);
  expect(await send(1, [click(2)])).toEqual([409, 'SEQUENCE_TAKEN', 2]);
  expect(await counts()).toEqual([2, 1]);
});

it.each([[0], [-1], [1.5], ['1'], [null]])('are refused with the number %j', async (sequence) => {
  const { status, body } = await sendEvents(owner, id, sequence as number, [click(1)]);
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['sequence']]);
});

it('are 1 to 1,000 in a batch', async () => {
  expect(await send(1, [])).toEqual([400, 'INVALID_REQUEST', undefined]);
  const events = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ type: 'DRAG', afterMs: 86_400_000, x: n + 0.123_456_789, y: 499.987_654_321 },
    ...{ toX: 999.999_999_9, toY: 0.000_000_1, button: 'MIDDLE' },
    screen: { width: 1_000, height: 500, scale: 1.333_333_333_333 },
  }));
  expect(await send(1, [...events, click(1)])).toEqual([400, 'INVALID_REQUEST', undefined]);
  expect(await send(1, events)).toEqual([200, undefined, 2]);
  expect(await counts()).toEqual([2, 1_000]);
});

it('hold as a whole or not at all', async () => {
  const { status, body } = await sendEvents(owner, id, 1, [
    click(999, 499),
    click(1_000, 0),
    { ...click(0, 500), screen: { width: 10, height: 501, scale: 1 } },
    click(9, 500),
    click(10, 0),
  ]);
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        in: 'body',
        path: 'events.1.x',
        code: 'outside_screen',
        message: 'must be less than 1000, the size of the screen',
      },
      expect.objectContaining({ path: 'events.4.x' }),
    ],
  ]);
  expect(await counts()).toEqual([1, 0]);
});

it('are on the screen that an earlier batch has named', async () => {
  await record(owner, id, 1, [{ ...move(1), screen: { width: 2_000, height: 500, scale: 1 } }]);
  expect(await send(2, [click(1_500)])).toEqual([200, undefined, 3]);
  expect(await send(3, [click(2_000)])).toEqual([400, 'INVALID_REQUEST', undefined]);
});

it.each([
  ['NaN', '{"sequence":1,"events":[{"type":"MOVE","afterMs":0,"x":NaN,"y":0}]}'],
  ['infinity', '{"sequence":1,"events":[{"type":"MOVE","afterMs":0,"x":1e999,"y":0}]}'],
  ['text', '{"sequence":1,"events":[{"type":"MOVE","afterMs":0,"x":"1","y":0}]}'],
])('are refused with %s as a coordinate', async (_what, raw) => {
  const headers = { 'content-type': 'application/json' };
  const { status } = await owner.call('POST', `/recordings/${id}/events`, { raw, headers });
  expect(status).toBe(400);
});

it('are refused with fields of another type, which are named', async () => {
  const { status, body } = await sendEvents(owner, id, 1, [{ ...key('a'), dx: 1, text: 'a' }]);
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([
    400,
    ['events.0.dx', 'events.0.text'],
  ]);
});

it('are refused beyond 512 KiB', async () => {
  const text = { type: 'TEXT', afterMs: 0, text: 'x'.repeat(10_000) };
  expect((await sendEvents(owner, id, 1, Array(53).fill(text))).status).toBe(413);
  expect((await sendEvents(owner, id, 1, Array(52).fill(text))).status).toBe(200);
});

it('are answered once with an Idempotency-Key, whatever came since', async () => {
  const headers = { 'idempotency-key': `batch-${id}` };
  const path = `/recordings/${id}/events`;
  const first = () =>
    owner.call('POST', path, { headers, body: { sequence: 1, events: [key('a')] } });
  expect((await first()).body).toEqual({ nextSequence: 2 });
  await record(owner, id, 2, [key('b')]);
  expect((await first()).body).toEqual({ nextSequence: 2 });
  expect(await counts()).toEqual([3, 2]);
});

it('are a repetition of an Idempotency-Key when they differ in masked input alone', async () => {
  const headers = { 'idempotency-key': `masked-${id}` };
  const send = (text: string, masked: boolean) => {
    const body = { sequence: 1, events: [{ type: 'TEXT', afterMs: 0, text, masked }] };
    return owner.call('POST', `/recordings/${id}/events`, { headers, body });
  };
  expect((await send('hunter2', true)).status).toBe(200);
  const again = await send('hunter3', true);
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect((await send('hunter3', false)).status).toBe(422);
});
