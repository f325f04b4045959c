import { RecordingBatchModel } from '../../../models/recording-batch.model.ts';
import type { RecordedEvent } from '../../../services/recordings/contract/recorded-event.ts';
import { appendEvents } from '../../../services/recordings/events/append-events.ts';
import { recordings, type StoredRecording } from '../../../services/recordings/recordings.store.ts';
import { StepsOfRecordings } from '../../../services/recordings/steps/recording-steps.ts';
import { captureCommands } from '../../helpers/captured-commands.ts';
import { ownShareOf } from '../../helpers/own-share.ts';
import { CHANGE, codeOf, newRecording, readRecording, useRecordings } from './fixtures.ts';

useRecordings();
afterEach(() => jest.restoreAllMocks());

const click: RecordedEvent = { type: 'CLICK', afterMs: 1, x: 1, y: 1, button: 'LEFT' };
const move: RecordedEvent = { type: 'MOVE', afterMs: 1, x: 1, y: 1 };
/** Records batches of events. */
async function record(
  workspaceId: number,
  ...batches: readonly (readonly RecordedEvent[])[]
): Promise<StoredRecording> {
  const id = await newRecording(workspaceId);
  for (const [at, events] of batches.entries()) {
    await appendEvents(await readRecording(id), { sequence: at + 1, events: [...events] }, CHANGE);
  }
  return readRecording(id);
}
/** The commands that read batches while the work is done. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  const captured = captureCommands();
  await work();
  captured.stop();
  return captured.all.filter(({ command }) => command.find === 'recording_batches').length;
}

test('the steps of the same events are made once, and again after further events', async () => {
  const steps = new StepsOfRecordings(ownShareOf);
  const recording = await record(1, [click]);
  const twice = () => Promise.all([steps.of(recording), steps.of(recording)]);
  expect(await readsOf(twice)).toBe(1);
  expect(await readsOf(twice)).toBe(0);
  const events = [click];
  await appendEvents(recording, { sequence: 2, events }, CHANGE);
  const later = (await recordings.find(recording._id)) as StoredRecording;
  expect((await steps.of(later)).steps).toHaveLength(2);
});

test('that a recording is too long is remembered, and an outage is not', async () => {
  const steps = new StepsOfRecordings(ownShareOf);
  const long = await record(1, Array(501).fill(click));
  expect(await codeOf(steps.of(long))).toBe('RECORDING_TOO_LONG');
  expect(await readsOf(() => codeOf(steps.of(long)))).toBe(0);
  const short = await record(1, [click]);
  jest.spyOn(RecordingBatchModel, 'find').mockImplementationOnce(() => {
    throw new Error('away');
  });
  expect(await codeOf(steps.of(short))).toBe('away');
  expect((await steps.of(short)).steps).toHaveLength(1);
});

test('the reading ends with the batch that makes the recording too long', async () => {
  const long = await record(1, ...Array(12).fill(Array(501).fill(click)));
  const captured = captureCommands();
  expect(await codeOf(new StepsOfRecordings(ownShareOf).of(long))).toBe('RECORDING_TOO_LONG');
  captured.stop();
  const found = captured.all.filter(({ command }) => command.find === 'recording_batches');
  expect(found.map(({ answered }) => answered)).toEqual([4]); // of 12 batches, the first reply of the cursor
});

test('a batch that is no part of the recording is not read, and a removed recording is 404', async () => {
  const recording = await record(1, [click], [click]);
  const before = { ...recording, nextSequence: 2 };
  expect((await new StepsOfRecordings(ownShareOf).of(before)).steps).toHaveLength(1);
  await RecordingBatchModel.deleteMany({ recordingId: recording._id });
  expect(await codeOf(new StepsOfRecordings(ownShareOf).of(recording))).toBe('NOT_FOUND');
});

test("an owner's long recordings do not delay another owner's", async () => {
  const steps = new StepsOfRecordings(ownShareOf);
  const long = await Promise.all(
    Array.from({ length: 6 }, () => record(1, ...Array(10).fill(Array(1_000).fill(move)))),
  );
  const short = await record(2, [click]);
  const ended: string[] = [];
  await Promise.all([
    ...long.map(async (recording) => {
      await steps.of(recording);
      ended.push('long');
    }),
    steps.of(short).then(() => ended.push('short')),
  ]);
  expect(ended.indexOf('short')).toBeLessThan(2);
});
