import { listsIn, type Plan, type Task } from '@workspace-automation/flow-language';
import type { Actor } from '../../../contract/caller.ts';
import { invalidField, type Problem } from '../../../contract/problem.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { outboxOf } from '../../../mixins/changes/outbox.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { type ParentTask, ROLLUP_PENDING, type RunDocument } from '../../../models/run.model.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { newTraceparent } from '../../../support/tracing/context.ts';
import type { Params } from '../../contracts.ts';
import { MAX_INPUT_BYTES } from '../contract/start-fields.ts';
import { type SourceKey, sourceOf } from '../engine/execution/plan-cache.ts';
import { insertRun } from '../engine/writes/run-writes.ts';
import { baseBytesOf } from '../quotas/run-bytes.ts';
import { runOutboxes } from '../runs.outboxes.ts';
import type { ShownRun } from '../show-run.ts';
import { assertInputFits, type ValidateInput } from './check-input.ts';
import {
  assertNotArchived,
  type FindConfiguration,
  findConfiguration,
  keepConfiguration,
} from './run-configuration.ts';

export interface StartTools {
  planOf: (source: SourceKey, share: Share, content?: string) => Promise<Plan | null>;
  validateInput: ValidateInput;
  findConfiguration: FindConfiguration;
}

/** The fields of a run that name its version, or the steps of its workflow. */
export type ProgramFields = Pick<RunDocument, 'flowId' | 'flowName' | 'versionId' | 'execution'>;

/** The program of a start: a version of a flow, or the steps of a workflow. */
export type Program = { workspaceId: number } & (
  | { fields: ProgramFields; content: string | undefined }
  /** There is nothing to run. The refusal comes after the faults of the request. */
  | { refusal: Problem }
);

/** Milliseconds after which a run times out, where no plan of its version sets a timeout. */
const DEFAULT_TIMEOUT_MS = 60 * 60 * 1_000;

/** The fields of a run that come from the run that this run retries. */
export type RetryFields = Pick<RunDocument, 'retryOf' | 'attempt' | 'originId' | 'copiesJournal'>;

export interface StartRequest extends Pick<Params<'runs.execute'>, 'configuration'> {
  /** The input as JSON. */
  input: string;
  /** The copy of a store that a retry takes from the retried run, in place of the store that `configuration` names. */
  kept?: RunDocument['configuration'] | undefined;
  retry?: RetryFields;
  /** The name of a trigger's start. */
  startKey?: string;
  /** The key of which no other run is to be live (`RunDocument.singletonKey`). */
  singletonKey?: string;
  /** The task that starts a child run. */
  parent?: ParentTask;
  /** The owner and workspace that the run counts for until it ends. */
  share: Share;
  traceparent?: string | undefined;
  change: ChangeContext;
}

/** Makes a run that is not stored yet, after checks of its input. A request may wait for the end by the run's id. */
export async function prepareRun(
  program: Program,
  order: StartRequest,
  tools: StartTools,
): Promise<RunDocument> {
  const { input, kept, retry, parent } = order;
  assertInputSize(input);
  const { workspaceId } = program;
  const store = await findConfiguration(workspaceId, order.configuration, tools.findConfiguration);
  if ('refusal' in program) throw program.refusal;
  // A version that does not compile gets a run too, which fails with that error.
  const { share, change } = order;
  const { fields, content } = program;
  const source = sourceOf(fields);
  const plan = await tools.planOf(source, share, content);
  if (plan) await assertInputFits(plan, input, { source, share }, tools.validateInput);
  assertNotArchived(store);
  const copy = kept ?? (store ? keepConfiguration(store) : undefined);
  const configuration = copy ? { configuration: copy } : {};
  const _id = change.reservedId ?? (await nextId('runs'));
  const createdAt = databaseClock.date();
  return {
    _id,
    workspaceId,
    ...fields,
    status: 'QUEUED',
    input,
    ...configuration,
    output: null,
    error: null,
    startedBy: change.actor,
    ...(order.startKey === undefined ? {} : { startKey: order.startKey }),
    ...(order.singletonKey === undefined ? {} : { singletonKey: order.singletonKey }),
    traceparent: order.traceparent ?? newTraceparent(),
    ...retry,
    ...(parent ? { parent, isChild: true as const, familyPending: true as const } : {}),
    ...(plan && mayStartRuns(plan.tasks)
      ? { hasChildren: true as const, familyPending: true as const }
      : {}),
    ...onFailureOf(plan, change.actor),
    timeoutMs: plan?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    createdAt,
    live: true,
    ...readinessOf(plan, fields, createdAt),
    shareOwner: share.owner,
    fence: 0,
    journal: [],
    entries: 0,
    moved: 0,
    keptBytes: 0,
    baseBytes: baseBytesOf({ input, ...configuration, ...fields }),
    outbox: outboxOf(change, { id: _id, workspaceId }, { at: createdAt }),
    [ROLLUP_PENDING.creation]: true,
  };
}

/** Whether one of the tasks may start a child run. */
const mayStartRuns = (tasks: readonly Task[]): boolean =>
  tasks.some((task) => task.kind === 'run' || listsIn(task).some(mayStartRuns));

/** A run of a flow with a limit is ready once the run has a permit. */
function readinessOf(
  plan: Plan | null,
  { flowId }: ProgramFields,
  createdAt: Date,
): Pick<RunDocument, 'ready' | 'concurrency' | 'permitRequestedAt'> {
  const concurrency = plan?.concurrency;
  if (concurrency === undefined || flowId === undefined) return { ready: true };
  return { concurrency, permitRequestedAt: createdAt };
}

/** A run that another run has started raises no issue: its failure is a failure of the other run. */
function onFailureOf(plan: Plan | null, startedBy: Actor): Pick<RunDocument, 'onFailure'> {
  if (!plan?.onFailure || startedBy.type === 'run') return {};
  return { onFailure: { assignedUserId: plan.onFailure.assignedUserId ?? null } };
}

/** Stores a run, which may be claimed from then on. */
export async function storeRun(run: RunDocument): Promise<ShownRun> {
  await insertRun(run);
  runOutboxes.publish(run._id, run.outbox);
  return run;
}

function assertInputSize(json: string): void {
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_INPUT_BYTES) return;
  const message = `must have at most ${MAX_INPUT_BYTES} bytes, not ${bytes}`;
  throw invalidField('input', 'too_large', message);
}
