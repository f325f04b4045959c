import { Problem, problemType } from '../../contract/problem.ts';

export const StaleRevision = problemType(
  'STALE_REVISION',
  409,
  'The revision is not the current one',
);
export const StepsTooComplex = problemType(
  'STEPS_TOO_COMPLEX',
  400,
  'The steps take too much to check',
);
export const TooManyStepChecks = problemType(
  'TOO_MANY_CHECKS',
  429,
  'Too many steps wait to be checked',
);

/** The refusal of a change that names another revision than the current one. */
export const staleRevision = (expected: number, currentRevision: number): Problem =>
  new Problem(
    StaleRevision,
    `The revision is ${currentRevision}, not ${expected}: read the resource again.`,
    { members: { currentRevision } },
  );

export const tooManyStepChecks = (): Problem =>
  new Problem(TooManyStepChecks, 'Wait for the steps sent before to be checked.', {
    retryAfter: 2,
  });
