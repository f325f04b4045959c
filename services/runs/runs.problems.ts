import { Problem, problemType } from '../../contract/problem.ts';

export const RunEnded = problemType('RUN_ENDED', 409, 'The run has ended');
export const RunNotEnded = problemType('RUN_NOT_ENDED', 409, 'The run has not ended');
export const BulkJobLive = problemType(
  'BULK_JOB_LIVE',
  409,
  'The flow has a job of this kind that is not finished',
);
export const SignalsFull = problemType(
  'SIGNALS_FULL',
  409,
  'The run keeps too many signals that it has not received',
);
export const WorkflowHasNoSteps = problemType(
  'WORKFLOW_HAS_NO_STEPS',
  409,
  'The workflow has no steps',
);
export const InputRefused = problemType(
  'INPUT_REFUSED',
  400,
  "The input does not fit the flow's input schema",
);
export const TooManyStarts = problemType(
  'TOO_MANY_STARTS',
  429,
  'Too many runs wait to be started',
);

export const tooManyStarts = () =>
  new Problem(TooManyStarts, 'Inputs sent before wait to be checked.', { retryAfter: 2 });
