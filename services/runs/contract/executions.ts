import { z } from 'zod';
import { EVERY_ROLE, MEMBERS, WORKERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, pageOf } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { hasEnded } from '../../../models/run-status.ts';
import { BranchHasProblems } from '../../dev-mode/dev-mode.problems.ts';
import { TooManyStepChecks } from '../../workflow-steps/step-problems.ts';
import { RunEnded, TooManyStarts, WorkflowHasNoSteps } from '../runs.problems.ts';
import { executionExample } from './examples.ts';
import { Execution } from './resources.ts';
import { NO_ETAG, startBody, startQuery, startTerms } from './start-fields.ts';

const ofWorkflow = { resource: 'workflow', parameter: 'id' } as const;
const ofExecution = { resource: 'execution', parameter: 'id' } as const;

/** What the starts of executions have in common. */
const starts = {
  ...startTerms,
  audit: { resource: 'run' },
  idempotency: { sequence: 'runs' },
  idempotent: 'with-key',
  body: startBody,
  result: Execution,
  otherStatus: {
    status: 200,
    description: 'The run has ended',
    when: (run: Execution) => hasEnded(run.status),
  },
  example: { body: { input: executionExample.input }, answer: executionExample },
} as const;

const startErrors = [NotFound, WorkflowHasNoSteps, Archived, TooManyStarts, QuotaReached] as const;

/** The operations on executions of workflows. */
export const executionActions = {
  execute: action({
    ...starts,
    summary: 'Run the published steps of a workflow',
    description:
      'The execution keeps its steps, whatever is published meanwhile. `wait` answers when it has ended, or after that time. `source` and `destination` of a call are CONFIGURATION_MISSING, because the pairs of a configuration store are those of flows.',
    route: 'POST /workflow/:id/execute',
    tool: { openWorld: true },
    access: { who: 'member', roles: WORKERS, in: ofWorkflow },
    path: { id: IdText },
    query: startQuery,
    errors: startErrors,
  }),
  executeDraft: action({
    ...starts,
    summary: 'Run the draft: the steps of a branch',
    description:
      'The execution has `draft: true`, and the id of the snapshot as its `revision`. It is listed with the executions of the workflow. A branch with problems is a 409 with `problems`. `wait`, `source` and `destination` are as for `POST /workflow/{id}/execute`.',
    route: 'POST /dev-mode/branches/:workflowId/run',
    tool: { openWorld: true },
    access: {
      who: 'member',
      roles: MEMBERS,
      in: { parameter: 'workspaceId' },
      within: { resource: 'workflow', parameter: 'workflowId' },
    },
    path: { workflowId: IdText },
    query: { workspaceId: IdText, ...startQuery },
    errors: [...startErrors, BranchHasProblems, TooManyStepChecks],
  }),
  listExecutions: action({
    summary: 'The executions of a workflow, newest first',
    description: 'Runs of drafts are among them, with `draft: true`.',
    route: 'GET /workflow/:id/executions',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: ofWorkflow },
    path: { id: IdText },
    query: listQuery,
    result: pageOf(Execution),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [executionExample] },
  }),
  getExecution: action({
    summary: 'One execution',
    description: 'Its id is the id of a run: the calls of `/flows/runs/{runId}` take it as well.',
    route: 'GET /executions/:id',
    tool: true,
    etag: NO_ETAG,
    access: { who: 'member', roles: EVERY_ROLE, in: ofExecution },
    path: { id: IdText },
    result: Execution,
    errors: [NotFound],
    idempotent: true,
    example: { answer: executionExample },
  }),
  cancelExecution: action({
    summary: 'Cancel an execution',
    description: 'What is under way is aborted; the execution has ended within 5 seconds.',
    route: 'POST /executions/:id/cancel',
    tool: { destructive: true },
    idempotent: true,
    audit: { resource: 'run' },
    uncontended: true,
    access: { who: 'member', roles: WORKERS, in: ofExecution },
    path: { id: IdText },
    result: Execution,
    status: 202,
    errors: [NotFound, RunEnded],
    example: { answer: { ...executionExample, status: 'CANCELLED', output: null } },
  }),
  liveExecutions: action({
    summary: 'How many executions of a workflow have not ended',
    access: { who: 'internal' },
    body: { workspaceId: Id, workflowId: Id },
    result: z.strictObject({ live: z.int().nonnegative() }),
    idempotent: true,
  }),
  cancelExecutions: action({
    summary: 'Cancels the executions of deleted workflows that have not ended',
    access: { who: 'internal' },
    body: { entries: entriesOf({ workspaceId: Id, workflowId: Id }) },
    result: null,
    idempotent: true,
  }),
};
