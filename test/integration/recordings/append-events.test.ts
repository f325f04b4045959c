import { RecordingBatchModel } from '../../../models/recording-batch.model.ts';
import { finishRecording, setStatus } from '../../../services/recordings/change-status.ts';
import type { RecordedEvent } from '../../../services/recordings/contract/recorded-event.ts';
import { appendEvents } from '../../../services/recordings/events/append-events.ts';
import { recordings, type StoredRecording } from '../../../services/recordings/recordings.store.ts';
import { removeBatches, removeRecording } from '../../../services/recordings/remove-recording.ts';
import { captureCommands } from '../../helpers/captured-commands.ts';
import { CHANGE, codeOf, newRecording, readRecording, useRecordings } from './fixtures.ts';

useRecordings();
afterEach(() => jest.restoreAllMocks());

const click = (x: number): RecordedEvent => ({
  ...{ type: 'CLICK', afterMs: 1, x, y: 0, button: 'LEFT' },
});

let id: number;
beforeEach(async () => {
  id = await newRecording();
});

const read = () => readRecording(id);
const append = async (sequence: number, x: number, recording?: StoredRecording) =>
  appendEvents(recording ?? (await read()), { sequence, events: [click(x)] }, CHANGE);
const batches = async () => {
  const found = await RecordingBatchModel.find({ recordingId: id }).sort({ sequence: 1 }).lean();
  return found.map(({ sequence, events }) => [sequence, JSON.parse(events)[0].x]);
};

/** The sender dies after its batch was stored, and before the batch is a part of the recording. */
async function dieBetween(sequence: number, x: number): Promise<void> {
  jest.spyOn(recordings, 'tryChange').mockRejectedValueOnce(new Error('killed'));
  expect(await codeOf(append(sequence, x))).toBe('killed');
}

test('a batch takes two commands beside the read of the recording', async () => {
  const recording = await read();
  const captured = captureCommands();
  await append(1, 1, recording);
  captured.stop();
  expect(captured.all.map(({ name }) => name)).toEqual(['findAndModify']); // and an insert, which is not captured
  expect(await batches()).toEqual([[1, 1]]);
});

test('a batch that was stored by a sender who died is added when it is sent again', async () => {
  await dieBetween(1, 1);
  expect(await read()).toMatchObject({ nextSequence: 1, eventCount: 0 });
  expect(await append(1, 1)).toEqual({ nextSequence: 2 });
  expect(await read()).toMatchObject({ nextSequence: 2, eventCount: 1 });
});

test('the batch of a sender who died is added before another one, which is refused', async () => {
  await dieBetween(1, 1);
  expect(await codeOf(append(1, 2))).toBe('SEQUENCE_TAKEN');
  expect(await read()).toMatchObject({ nextSequence: 2, eventCount: 1 });
  expect(await append(2, 2)).toEqual({ nextSequence: 3 });
  expect(await batches()).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('of two senders who have read the same recording the later one learns of the other', async () => {
  const before = await read();
  expect(await append(1, 1, before)).toEqual({ nextSequence: 2 });
  expect(await append(1, 1, before)).toEqual({ nextSequence: 2 });
  expect(await codeOf(append(1, 2, before))).toBe('SEQUENCE_TAKEN');
  expect(await read()).toMatchObject({ nextSequence: 2, eventCount: 1 });
});

test.each<['PAUSED' | 'FINISHED', (of: StoredRecording) => Promise<unknown>]>([
  ['PAUSED', (of) => setStatus(of, 'PAUSED', CHANGE)],
  ['FINISHED', (of) => finishRecording(of, CHANGE)],
])(
  'a batch whose first answer was lost is answered when the recording is %s',
  async (status, end) => {
    const before = await read();
    await append(1, 1, before);
    await end(await read());
    expect(await append(1, 1, before)).toEqual({ nextSequence: 2 }); // it has read the recording before the end
    expect(await append(1, 1)).toEqual({ nextSequence: 2 });
    expect(await codeOf(append(2, 1))).toBe(`RECORDING_${status}`);
    expect(await batches()).toEqual([[1, 1]]);
  },
);

test.each([
  [
    'RECORDING_PAUSED',
    async (recording: StoredRecording) => setStatus(recording, 'PAUSED', CHANGE),
  ],
  ['RECORDING_FINISHED', async (recording: StoredRecording) => finishRecording(recording, CHANGE)],
])('a batch that meets its refusal by %s leaves nothing', async (code, end) => {
  const before = await read();
  await end(before);
  expect(await codeOf(append(1, 1, before))).toBe(code);
  expect(await batches()).toEqual([]);
});

test('a batch that meets a pause and its end is added', async () => {
  const before = await read();
  await setStatus(before, 'PAUSED', CHANGE);
  await setStatus(await read(), 'RECORDING', CHANGE);
  expect(await append(1, 1, before)).toEqual({ nextSequence: 2 });
  expect(await batches()).toEqual([[1, 1]]);
});

test('a batch that was refused is not taken from a sender who has found it meanwhile', async () => {
  const before = await read();
  await setStatus(before, 'PAUSED', CHANGE);
  const find = recordings.find;
  // Between the look at the paused recording and the withdrawal, it is resumed and the batch is sent again.
  jest.spyOn(recordings as { find: typeof find }, 'find').mockImplementationOnce(async (of) => {
    const paused = await find(of);
    await setStatus(await read(), 'RECORDING', CHANGE);
    await append(1, 1);
    return paused;
  });
  expect(await append(1, 1, before)).toEqual({ nextSequence: 2 });
  expect(await batches()).toEqual([[1, 1]]);
});

test('a batch that meets a removal is 404 and leaves nothing', async () => {
  const before = await read();
  await removeRecording(before, CHANGE);
  await removeBatches({ entries: [{ id: 'x', at: new Date().toISOString(), recordingId: id }] });
  expect(await codeOf(append(1, 1, before))).toBe('NOT_FOUND');
  expect(await batches()).toEqual([]);
});

test('a removal that takes long is continued by its repetition', async () => {
  const ofOther = { _id: 'other', recordingId: id + 1, workspaceId: 1, sequence: 1 };
  const many = Array.from({ length: 120 }, (_, n) => ({
    ...{ _id: `${id}/${n}`, recordingId: id, workspaceId: 1, sequence: n, events: '[{"x":1}]' },
  }));
  await RecordingBatchModel.collection.insertMany([ofOther, ...many] as never);
  const entries = [{ id: 'x', at: new Date().toISOString(), recordingId: id }];
  const left: number[] = [];
  for (let ended = false; !ended; left.push((await batches()).length)) {
    ended = (await codeOf(removeBatches({ entries }, 0))) === 'answered';
  }
  expect(left).toEqual([70, 20, 0]);
  expect(await RecordingBatchModel.countDocuments({ recordingId: id + 1 })).toBe(1);
});
