import { NotFound, Problem, problemType } from '../../contract/problem.ts';
import { MAX_DEFINITION_BYTES, MAX_STEPS } from '../workflow-steps/step-fields.ts';

export const RecordingPaused = problemType('RECORDING_PAUSED', 409, 'The recording is paused');
export const RecordingFinished = problemType(
  'RECORDING_FINISHED',
  409,
  'The recording is finished',
);
export const SequenceGap = problemType('SEQUENCE_GAP', 409, 'Batches before this one are missing');
export const SequenceTaken = problemType('SEQUENCE_TAKEN', 409, 'Another batch has this number');
export const RecordingTooLong = problemType(
  'RECORDING_TOO_LONG',
  409,
  'The recording has too many steps for a workflow',
);

export const noRecording = (id: number): Problem =>
  new Problem(NotFound, `There is no recording ${id}.`);

export const recordingPaused = (): Problem =>
  new Problem(RecordingPaused, 'The recording is paused: resume it before you send events.');

export const recordingFinished = (): Problem =>
  new Problem(RecordingFinished, 'The recording is finished, which is final.');

/** The refusal of a batch that is not the next one. */
export const sequenceGap = (sequence: number, nextSequence: number): Problem =>
  new Problem(SequenceGap, `The next batch has the number ${nextSequence}, not ${sequence}.`, {
    members: { nextSequence },
  });

/** The refusal of a batch in whose place another sender, or an earlier attempt, has stored other events. */
export const sequenceTaken = (sequence: number, nextSequence: number): Problem =>
  new Problem(
    SequenceTaken,
    `Batch ${sequence} has other events already. The next batch has the number ${nextSequence}.`,
    { members: { nextSequence } },
  );

export const recordingTooLong = (): Problem =>
  new Problem(
    RecordingTooLong,
    `The steps of the recording are more than ${MAX_STEPS}, or take more than ${MAX_DEFINITION_BYTES / 1024} KiB: no workflow may have them.`,
  );
