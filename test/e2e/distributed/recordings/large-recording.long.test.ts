import { BSON } from 'mongodb';
import { e2e } from '../../../fixtures/e2e.ts';
import {
  click,
  createRecording,
  move,
  type RecordedStep,
  type RecordingAnswer,
  record,
} from '../../../helpers/recordings.ts';
import { waitFor } from '../../../helpers/wait.ts';

const BATCHES = 100;
/** Movements of a batch, and a click at its end. */
const MOVEMENTS = 999;

const { server, database, owner, workspace } = e2e({ database: true });
let id: number;
beforeAll(async () => {
  ({ id } = await createRecording(owner, workspace.id));
});

const sizeOfRecording = async () => {
  const found = await database.collection<{ _id: number }>('recordings').findOne({ _id: id });
  return BSON.calculateObjectSize(found ?? {});
};
const batches = () => database.collection('recording_batches').countDocuments({ recordingId: id });

test('a recording of 100,000 events is one small document beside its batches', async () => {
  const before = await sizeOfRecording();
  for (let sequence = 1; sequence <= BATCHES; sequence++) {
    const moves = Array.from({ length: MOVEMENTS }, (_, n) => move(n, sequence));
    await record(owner, id, sequence, [...moves, click(sequence, sequence)]);
  }
  const { body } = await owner.call<RecordingAnswer>('GET', `/recordings/${id}`);
  expect([body.nextSequence, body.eventCount]).toEqual([BATCHES + 1, 100_000]);
  expect(await sizeOfRecording()).toBeLessThan(before + 100);
  expect(await batches()).toBe(BATCHES);
}, 120_000);

test('its steps are those of its clicks, with the time of its movements', async () => {
  const path = `/recordings/${id}/steps`;
  const { status, body } = await owner.call<{ steps: RecordedStep[] }>('GET', path);
  expect([status, body.steps.length]).toEqual([200, BATCHES]);
  expect(body.steps.at(-1)?.definition.set.action).toMatchObject({
    ...{ type: 'CLICK', x: BATCHES, y: BATCHES, nx: 0.1, ny: 0.2, afterMs: 1_000 },
  });
});

test('its deletion takes all batches away, although the process is killed after the answer', async () => {
  const { status } = await owner.call('DELETE', `/recordings/${id}`);
  await server.kill();
  expect(status).toBe(204);
  await server.restart();
  expect((await owner.call('GET', `/recordings/${id}`)).status).toBe(404);
  await waitFor('the removal of the batches', async () => (await batches()) === 0);
  await waitFor('the end of the tombstone', async () => {
    const found = database.collection<{ _id: number }>('recordings').findOne({ _id: id });
    return (await found) === null;
  });
});
