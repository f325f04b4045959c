import { RecordingModel } from '../../../models/recording.model.ts';
import { RecordingBatchModel } from '../../../models/recording-batch.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import type { RecordedEvent } from '../../../services/recordings/contract/recorded-event.ts';
import { createRecording } from '../../../services/recordings/create-recording.ts';
import { appendEvents } from '../../../services/recordings/events/append-events.ts';
import { recordings, type StoredRecording } from '../../../services/recordings/recordings.store.ts';
import { StepsOfRecordings } from '../../../services/recordings/steps/recording-steps.ts';
import { captureCommands } from '../../helpers/captured-commands.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([RecordingModel, RecordingBatchModel, SequenceModel]);
afterEach(() => jest.restoreAllMocks());

const CHANGE = changeContext({ audit: { none: 'a test' } });
const SCREEN = { width: 10, height: 10, scale: 1 };
const click: RecordedEvent = { type: 'CLICK', afterMs: 1, x: 1, y: 1, button: 'LEFT' };
const move: RecordedEvent = { type: 'MOVE', afterMs: 1, x: 1, y: 1 };
/** Each workspace is of an owner of its own. */
const shareOf = async (workspaceId: number) => ({
  owner: `person:${workspaceId}`,
  tenant: `workspace:${workspaceId}`,
});

/** Records batches of events. */
async function record(
  workspaceId: number,
  ...batches: readonly (readonly RecordedEvent[])[]
): Promise<StoredRecording> {
  const { id } = await createRecording({ workspaceId, name: 'x', screen: SCREEN }, CHANGE);
  for (const [at, events] of batches.entries()) {
    const recording = await recordings.find(id);
    if (!recording) throw new Error('the recording has gone');
    await appendEvents(recording, { sequence: at + 1, events: [...events] }, CHANGE);
  }
  return (await recordings.find(id)) as StoredRecording;
}
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'answered',
    ({ type, message }: { type?: string; message: string }) => type ?? message,
  );
/** The commands that read batches while the work is done. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  const captured = captureCommands();
  await work();
  captured.stop();
  return captured.all.filter(({ command }) => command.find === 'recording_batches').length;
}

test('the steps of the same events are made once, and again after further events', async () => {
  const steps = new StepsOfRecordings(shareOf);
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
  const steps = new StepsOfRecordings(shareOf);
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
  expect(await codeOf(new StepsOfRecordings(shareOf).of(long))).toBe('RECORDING_TOO_LONG');
  captured.stop();
  const found = captured.all.filter(({ command }) => command.find === 'recording_batches');
  expect(found.map(({ answered }) => answered)).toEqual([4]); // of 12 batches, the first reply of the cursor
});

test('a batch that is no part of the recording is not read, and a removed recording is 404', async () => {
  const recording = await record(1, [click], [click]);
  const before = { ...recording, nextSequence: 2 };
  expect((await new StepsOfRecordings(shareOf).of(before)).steps).toHaveLength(1);
  await RecordingBatchModel.deleteMany({ recordingId: recording._id });
  expect(await codeOf(new StepsOfRecordings(shareOf).of(recording))).toBe('NOT_FOUND');
});

test("an owner's long recordings do not delay another owner's", async () => {
  const steps = new StepsOfRecordings(shareOf);
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
