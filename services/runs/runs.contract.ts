import { SIGNAL_NAME, SIGNAL_NAME_RULE } from '@workspace-automation/flow-language';
import { z } from 'zod';
import { EVERY_ROLE, WORKERS } from '../../contract/access-rule.ts';
import { Archived } from '../../contract/archived.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { AnyJson, Id, IdText, IntText, listQuery, pageOf } from '../../contract/fields.ts';
import { lifecycleActions } from '../../contract/lifecycle-actions.ts';
import { NotFound } from '../../contract/problem.ts';
import { QuotaReached } from '../../contract/quota.ts';
import { hasEnded } from '../../models/run-status.ts';
import { FlowHasNoVersion } from '../flows/flows.problems.ts';
import { bulkActions } from './contract/bulk-jobs.ts';
import { eventActions } from './contract/events.ts';
import {
  recentRunsExample,
  runExample,
  statisticsExample,
  stepExample,
} from './contract/examples.ts';
import { executionActions } from './contract/executions.ts';
import { flowRunActions } from './contract/flow-runs.ts';
import { operatorActions } from './contract/operations.ts';
import { AnyRun, Run, Step, StepPage, stepPageHeaders } from './contract/resources.ts';
import { retryActions } from './contract/retries.ts';
import { NO_ETAG, startBody, startQuery, startTerms } from './contract/start-fields.ts';
import { FlowRunPage, FlowStatistics } from './contract/statistics.ts';
import { triggeredStartActions } from './contract/triggered-starts.ts';
import { InputRefused, RunEnded, SignalsFull, TooManyStarts } from './runs.problems.ts';
import { MAX_KEPT_SIGNALS, MAX_SIGNAL_BYTES } from './signals/signal-limits.ts';

const ofFlow = { resource: 'flow', parameter: 'flowId' } as const;
const ofRun = { resource: 'run', parameter: 'runId' } as const;
const readsRun = {
  access: { who: 'member', roles: EVERY_ROLE, in: ofRun, keyScope: 'flows:read' },
  errors: [NotFound],
  idempotent: true,
} as const;

const SignalName = z
  .string()
  .regex(SIGNAL_NAME, `must be ${SIGNAL_NAME_RULE}`)
  .meta({
    description: 'The name that a `listen` of the flow waits for',
    examples: ['approved'],
  });

const flowToRun = { ...ofFlow, loader: 'versionToRun' } as const;
/** The start of a flow, by a member or by an API key. */
const startsFlow = {
  ...startTerms,
  description:
    'Runs the newest version unless another is named. With `wait` the answer comes at the end of the run, or after that many milliseconds. Without it the run is RUNNING where it could begin at once, and otherwise QUEUED.',
  audit: { resource: 'run' },
  idempotency: { sequence: 'runs' },
  idempotent: 'with-key',
  path: { flowId: IdText },
  query: startQuery,
  body: {
    ...startBody,
    versionId: Id.nullish().meta({ description: 'The version to run; the newest unless given' }),
  },
  result: Run,
  otherStatus: {
    status: 200,
    description: 'The run has ended',
    when: (run: Run) => hasEnded(run.status),
  },
  errors: [NotFound, FlowHasNoVersion, InputRefused, Archived, TooManyStarts, QuotaReached],
  example: {
    body: { input: runExample.input },
    answer: { ...runExample },
  },
} as const;

/** A day in UTC as `YYYY-MM-DD`. */
const Day = z.iso.date({ error: 'must be a day such as 2026-01-31' }).optional();

export const runsContract = defineContract(
  'runs',
  'Runs of flows and executions of workflows: starting, following, cancelling, counting',
  {
    start: action({
      ...startsFlow,
      summary: 'Run a flow',
      route: 'POST /flows/:flowId/runs',
      tool: { openWorld: true },
      access: { who: 'member', roles: WORKERS, in: flowToRun },
    }),
    startExternal: action({
      ...startsFlow,
      summary: 'Run a flow by API key',
      route: 'POST /flows/:flowId/runs/external',
      tool: { openWorld: true },
      access: { who: 'key', scope: 'flows:run', in: flowToRun },
    }),
    list: action({
      summary: 'The runs of a flow, newest first',
      route: 'GET /flows/:flowId/runs',
      tool: true,
      access: { who: 'member', roles: EVERY_ROLE, in: ofFlow },
      path: { flowId: IdText },
      query: listQuery,
      result: pageOf(Run),
      format: 'page',
      errors: [NotFound],
      idempotent: true,
      example: { answer: [runExample] },
    }),
    get: action({
      ...readsRun,
      summary: 'One run, of a flow or of a workflow',
      route: 'GET /flows/runs/:runId',
      tool: true,
      etag: NO_ETAG,
      path: { runId: IdText },
      result: AnyRun,
      example: { answer: runExample },
    }),
    listSteps: action({
      ...readsRun,
      summary: 'What a run has done so far and does now, step by step',
      description:
        'At most 4 KiB of each `input` and `output`; ask for the step to see all of it. Steps that are open (RUNNING, WAITING) come last, with ids above 1 000 000 000, at most 100 of them. A step is shown once it has been open for a second at the latest, and has another id when its end is recorded. At most 50 000 steps of a run are recorded. `X-Steps-Omitted` says how many more the run has executed, or has open.',
      route: 'GET /flows/runs/:runId/steps',
      tool: true,
      path: { runId: IdText },
      query: listQuery,
      result: StepPage,
      resultHeaders: stepPageHeaders,
      format: 'page',
      example: { answer: [stepExample] },
    }),
    getStep: action({
      ...readsRun,
      summary: 'One step of a run',
      description:
        'An open step has an id above 1 000 000 000 until its end is recorded. Then that id is answered 404, and the list of steps has the new one.',
      route: 'GET /flows/runs/:runId/steps/:stepId',
      tool: true,
      etag: NO_ETAG,
      path: { runId: IdText, stepId: IdText },
      result: Step,
      example: { answer: stepExample },
    }),
    cancel: action({
      summary: 'Cancel a run',
      description: 'What is under way is aborted; the run has ended within 5 seconds.',
      route: 'POST /flows/runs/:runId/cancel',
      tool: { destructive: true },
      idempotent: true,
      audit: { resource: 'run' },
      uncontended: true,
      access: { who: 'member', roles: WORKERS, in: ofRun },
      path: { runId: IdText },
      result: AnyRun,
      status: 202,
      errors: [NotFound, RunEnded],
      example: { answer: { ...runExample, status: 'CANCELLED', output: null } },
    }),
    signal: action({
      summary: 'Send a signal to a run',
      description: `The body, any JSON value, is what a \`listen\` to this name gives; without a body that is null. A signal that comes before its \`listen\` is kept, of each name the latest. Each signal that is received is received by one \`listen\`. A run keeps at most ${MAX_KEPT_SIGNALS} signals with ${MAX_SIGNAL_BYTES / 1024} KiB together that it has not received; the signal that wakes it needs no room.`,
      route: 'POST /flows/runs/:runId/signals/:name',
      tool: true,
      idempotent: 'with-key',
      audit: { resource: 'run' },
      idempotency: { sequence: 'signals' },
      access: { who: 'member', roles: WORKERS, in: ofRun },
      path: { runId: IdText, name: SignalName },
      body: { value: AnyJson.optional() },
      wholeBody: 'value',
      bodyOptional: true,
      result: null,
      status: 204,
      errors: [NotFound, RunEnded, SignalsFull],
      example: { body: { approved: true } },
    }),
    statistics: action({
      summary: 'Statistics of flow runs',
      description:
        "Over the caller's workspaces, or one of them. A run counts on the day it ended, in UTC.",
      route: 'GET /flows/stats',
      tool: true,
      etag: { none: 'figures of many runs' },
      access: { who: 'authenticated', memberOf: 'workspaceId' },
      query: {
        workspaceId: IdText.optional(),
        flowId: IdText.optional(),
        from: Day.meta({ description: 'First day; 29 days before `to` unless given' }),
        to: Day.meta({ description: 'Last day; today unless given' }),
      },
      result: FlowStatistics,
      errors: [NotFound],
      idempotent: true,
      example: { answer: statisticsExample },
    }),
    recent: action({
      summary: 'The latest flow runs of a workspace',
      description: '`page × limit` is at most 10 000.',
      route: 'GET /flows/recent-runs',
      tool: true,
      etag: { none: 'figures of many runs' },
      access: { who: 'member', roles: EVERY_ROLE, in: { parameter: 'workspaceId' } },
      query: {
        workspaceId: IdText,
        limit: IntText(1, 100).default(10).meta({ description: 'The runs of a page' }),
        page: IntText(0, 10_000).default(0).meta({ description: 'The number of the page, from 0' }),
      },
      result: FlowRunPage,
      errors: [NotFound],
      idempotent: true,
      example: { answer: recentRunsExample },
    }),
    ...triggeredStartActions,
    ...eventActions,
    ...executionActions,
    ...flowRunActions,
    ...retryActions,
    ...bulkActions,
    ...operatorActions,
    ...lifecycleActions,
  },
);
