import { flowError, runTimeout } from '@workspace-automation/flow-language';
import type { OpenStep } from '../../../../models/open-step.ts';
import type { RunError } from '../../contract/resources.ts';
import { firstInnermost } from './innermost-step.ts';

/* Errors of a whole run, whichever of its tasks is under way. */

const engineError = (...args: Parameters<typeof flowError>): RunError => ({
  ...flowError(...args).problem,
  instance: '',
});

/** Places the error of a run at the first of its innermost open steps; at no task where no step is open. */
export const errorAt = (error: RunError, open: readonly OpenStep[] | undefined): RunError => ({
  ...error,
  instance: firstInnermost(open ?? [])?.path ?? '',
});

/** Makes the error of the steps that were under way when the run was cancelled. */
export const cancelled = () => flowError('runtime', 'CANCELLED', 'the run was cancelled');
export const RUN_TIMEOUT: RunError = runTimeout().toProblem();
export const UNUSABLE_VERSION = engineError(
  'runtime',
  'VERSION_UNUSABLE',
  'the version of the flow is gone or can no longer be compiled',
);
export const DIVERGED = engineError(
  'runtime',
  'REPLAY_DIVERGED',
  'the run cannot go on as its journal says, and ends rather than do anything twice',
);
export const SECRETS_UNKNOWN = engineError(
  'runtime',
  'SECRETS_UNKNOWN',
  'the secrets that the run has sent cannot be opened any more, so that later answers could not be masked',
);
export const POISONED_RUN = engineError(
  'runtime',
  'POISONED_RUN',
  'the processes that executed the run died five times at the same place, so that it is not tried again',
);
export const RETRIED_RUN_GONE = engineError(
  'runtime',
  'RETRIED_RUN_GONE',
  'the run that this run retries was removed before its journal could be reused; retry it from the start',
);
export const DEFECT = engineError(
  'runtime',
  'INTERNAL_ERROR',
  'the run met a defect of the service',
);
