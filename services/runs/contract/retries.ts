import { z } from 'zod';
import { WORKERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { BranchHasProblems } from '../../dev-mode/dev-mode.problems.ts';
import { FlowHasNoVersion } from '../../flows/flows.problems.ts';
import { TooManyStepChecks } from '../../workflow-steps/step-problems.ts';
import { InputRefused, RunNotEnded, TooManyStarts, WorkflowHasNoSteps } from '../runs.problems.ts';
import { runExample } from './examples.ts';
import { AnyRun } from './resources.ts';

/** The operations that start ended runs anew. */
export const retryActions = {
  retry: action({
    summary: 'Retry a run',
    description:
      'Starts a new run with the input of the run, and with `retryOf`. From `failed` it reuses the results of the tasks before the step that failed, as long as the definitions of the tasks are the same; from the first difference on everything runs again. From `start` everything runs again. With the `same` version the run has the properties and the pairs of credentials of the earlier run; with the `latest` one it has those of the configuration store as they are now. Calls carry the `Idempotency-Key` of the first run.',
    route: 'POST /flows/runs/:runId/retry',
    tool: { openWorld: true },
    audit: { resource: 'run' },
    uncontended: true,
    idempotency: { sequence: 'runs' },
    idempotent: 'with-key',
    access: { who: 'member', roles: WORKERS, in: { resource: 'run', parameter: 'runId' } },
    path: { runId: IdText },
    body: {
      from: z
        .enum(['failed', 'start'])
        .default('failed')
        .meta({ description: 'Whether the run begins at the step that failed, or anew' }),
      version: z.enum(['same', 'latest']).default('same').meta({
        description: 'Whether the run has the version of the earlier run, or the newest one',
      }),
    },
    bodyOptional: true,
    result: AnyRun,
    status: 202,
    errors: [
      NotFound,
      RunNotEnded,
      FlowHasNoVersion,
      WorkflowHasNoSteps,
      BranchHasProblems,
      InputRefused,
      Archived,
      TooManyStarts,
      TooManyStepChecks,
      QuotaReached,
    ],
    example: {
      body: { from: 'failed', version: 'latest' },
      answer: {
        ...runExample,
        id: 2,
        status: 'QUEUED',
        output: null,
        retryOf: runExample.id,
        startedAt: null,
        completedAt: null,
      },
    },
  }),
};
