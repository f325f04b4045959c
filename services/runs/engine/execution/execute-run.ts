import { interpret, jsonOf, type Outcome, type Plan } from '@workspace-automation/flow-language';
import type { Logger } from 'pino';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import { isFlowRun } from '../../../../models/run.model.ts';
import type { Share } from '../../../../support/fair-shares/share.ts';
import { type SpanStart, spanIn } from '../../../../support/tracing/spans.ts';
import type { RunError } from '../../contract/resources.ts';
import { runBegun } from '../../runs.diagnostics.ts';
import { mayBegin } from '../children/child-runs.ts';
import { type LeasedRun, LeaseLostError, NO_ENTRIES, type RunEnd } from '../lease/leased-run.ts';
import { isPoisoned } from '../lease/poisoned-run.ts';
import { isTransientError } from '../../../../support/transient-errors.ts';
import { DeadlineTimer } from './deadline-timer.ts';
import { type HostTools, hostOf } from './host.ts';
import { type Job, MemoryExceededError, ProcessStoppingError } from './job.ts';
import { ReplayDivergedError } from './journal/effect-records.ts';
import { Journal } from './journal/journal.ts';
import { type SourceKey, sourceOf } from './plan-cache.ts';
import { copyReusedEntries } from './reuse/copy-reused-entries.ts';
import {
  DEFECT,
  DIVERGED,
  errorAt,
  POISONED_RUN,
  RETRIED_RUN_GONE,
  RUN_TIMEOUT,
  SECRETS_UNKNOWN,
  UNUSABLE_VERSION,
} from './run-errors.ts';
import { UnknownSecretsError } from './run-secrets.ts';
import { entryCost, RUN_COST } from './work-costs.ts';

export interface ExecutionTools extends HostTools {
  /** Finds the plan of a source, or null when the source cannot be compiled any more. A given `content` is not read. */
  planOf: (source: SourceKey, share: Share, content?: string) => Promise<Plan | null>;
  /** Whether this process executes the run, so that it is live without a look at the database. */
  isSafelyHeld: (runId: number) => boolean;
  logger: Logger;
}

/** The end of an execution: the run has ended, waits, or is released. */
export type ExecutionEnd =
  | { kind: 'ended' }
  | { kind: 'waiting'; wakeAt: Date }
  /** The run has not ended: another worker, or a later claim of this worker, continues the run. */
  | { kind: 'released' };

/** Executes a claimed run until it ends, waits, or is no longer leased to this worker. Never rejects. */
export function executeRun(job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  const { fence, createdAt, startedAt, traceparent, concurrency } = job.run.doc;
  // A run of a flow with a limit has waited for a permit as well, which says nothing about the workers.
  if (fence === 1 && startedAt && concurrency === undefined)
    runBegun.publish({ waitedMs: Math.max(startedAt.getTime() - createdAt.getTime(), 0) });
  return spanIn(
    traceparent,
    () => spanOf(job),
    async (_, span) => {
      const end = await executeUntilDeadline(job, tools);
      span?.set({ 'flow.run.left': end.kind });
      return end;
    },
  );
}

function spanOf({ run: { doc } }: Job): SpanStart {
  const attributes = {
    'flow.run.id': doc._id,
    ...(isFlowRun(doc) ? { 'flow.id': doc.flowId } : {}),
    ...(doc.execution ? { 'workflow.id': doc.execution.workflowId } : {}),
    'workspace.id': doc.workspaceId,
  };
  return { name: 'run', kind: 'internal', service: 'runs', attributes };
}

async function executeUntilDeadline(job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  const timer = new DeadlineTimer(job.deadline, () => job.interrupt('overdue'));
  try {
    return await executeWithJournal(job, tools);
  } finally {
    timer.stop();
  }
}

async function executeWithJournal(job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  job.slot.charge(RUN_COST);
  const journal = new Journal(job.run, (bytes) => job.slot.charge(entryCost(bytes)));
  try {
    return await interpretRun(journal, job, tools);
  } catch (error) {
    return await handleFailure({ job, journal, logger: tools.logger }, error).catch(
      (failure: unknown) => reportFailure(job, failure, tools.logger),
    );
  } finally {
    journal.close();
  }
}

async function interpretRun(
  journal: Journal,
  job: Job,
  tools: ExecutionTools,
): Promise<ExecutionEnd> {
  const { run } = job;
  if (run.doc.cancelRequestedAt) return awaitEnd(run.endCancelled());
  if (isPoisoned(run.doc)) return failAtOpenSteps(run, POISONED_RUN);
  if (run.doc.entries === 0 && !(isOfHeldParent(run, tools) || (await mayBegin(run.doc))))
    return awaitEnd(run.end({ status: 'CANCELLED' }, NO_ENTRIES));
  job.assertMemory();
  if (run.doc.copiesJournal) return reuseJournal(job, journal, tools);
  await journal.load();
  const plan = await tools.planOf(sourceOf(run.doc), job.share, run.doc.execution?.content);
  if (!plan) return failAtOpenSteps(run, UNUSABLE_VERSION);
  const outcome = await interpret(plan, hostOf(job, journal, tools));
  return writeOutcome(job, journal, outcome, tools);
}

/** Whether the run is claimed for the first time, and its parent run is live in this process. */
const isOfHeldParent = ({ doc }: LeasedRun, { isSafelyHeld }: ExecutionTools): boolean =>
  doc.fence === 1 && doc.parent !== undefined && isSafelyHeld(doc.parent.runId);

/** Ends a run that is not interpreted. The steps that the last worker had open stay in its document. */
const failAtOpenSteps = (run: LeasedRun, error: RunError): Promise<ExecutionEnd> =>
  awaitEnd(
    run.end({ status: 'FAILED', error: errorAt(error, run.doc.openSteps?.steps) }, NO_ENTRIES),
  );

/** Copies the journal entries that a retry reuses. The next claim of the run goes on from them as after a crash. */
async function reuseJournal(
  job: Job,
  journal: Journal,
  tools: ExecutionTools,
): Promise<ExecutionEnd> {
  const { run } = job;
  const reused = await copyReusedEntries(job, (doc) =>
    tools.planOf(sourceOf(doc), job.share, doc.execution?.content),
  );
  if (reused === 'interrupted') return endInterrupted(job, journal);
  if (reused === null)
    return awaitEnd(run.end({ status: 'FAILED', error: RETRIED_RUN_GONE }, NO_ENTRIES));
  await run.completeReuse(reused);
  return { kind: 'released' };
}

async function writeOutcome(
  job: Job,
  journal: Journal,
  outcome: Outcome,
  tools: ExecutionTools,
): Promise<ExecutionEnd> {
  switch (outcome.kind) {
    case 'succeeded':
      journal.replay.assertReached();
      return awaitEnd(journal.end({ status: 'SUCCESS', output: jsonOf(outcome.output) }));
    case 'failed':
      journal.replay.assertReached();
      return awaitEnd(journal.end({ status: 'FAILED', error: outcome.error }));
    case 'timed-out':
      return awaitEnd(journal.end(timeoutOf(journal)));
    case 'suspended':
      journal.replay.assertReached();
      return suspendRun(job, journal, outcome, tools);
    case 'aborted':
      return endInterrupted(job, journal);
  }
}

async function suspendRun(
  job: Job,
  journal: Journal,
  { wakeAt: at, checkpoint }: Extract<Outcome, { kind: 'suspended' }>,
  { children }: ExecutionTools,
): Promise<ExecutionEnd> {
  const { doc, family } = job.run;
  if (doc.hasChildren && !family.isOver) await cancelAbandoned(job, journal, children);
  const wakeAt = new Date(Math.min(at, job.deadline.getTime()));
  if (checkpoint) journal.appendCheckpoint(checkpoint);
  switch (await journal.suspend(wakeAt, job.mailbox.awaited)) {
    case 'waiting':
      return { kind: 'waiting', wakeAt };
    case 'ended':
      return { kind: 'ended' };
    case 'ready':
      return { kind: 'released' };
  }
}

/**
 * Cancels the child runs for which the run does not wait. The journal is durable before: a worker that takes the run
 * over waits for none of them. A lease that is confirmed after the child runs were found excludes those of a later
 * worker.
 */
async function cancelAbandoned(
  { run, mailbox }: Job,
  journal: Journal,
  children: ExecutionTools['children'],
): Promise<void> {
  const { _id: runId, workspaceId } = run.doc;
  const abandoned = await children.findAbandoned(runId, mailbox.awaited?.topics ?? []);
  if (!abandoned.length) return;
  await journal.flushAndConfirm();
  await Promise.all(abandoned.map(({ _id }) => children.cancel({ _id, workspaceId })));
}

async function endInterrupted(job: Job, journal: Journal): Promise<ExecutionEnd> {
  switch (job.interruption) {
    case 'cancelled':
      return awaitEnd(journal.end({ status: 'CANCELLED' }));
    case 'overdue':
      return awaitEnd(journal.end(timeoutOf(journal)));
    case 'stopping':
      return releaseRun(job, journal);
    default:
      return { kind: 'released' };
  }
}

/** Makes the end of a run whose deadline has ended its interpretation. */
const timeoutOf = ({ timedOutAt }: Journal): RunEnd => ({
  status: 'TIMED_OUT',
  error: { ...RUN_TIMEOUT, instance: timedOutAt },
});

/** A run whose execution failed before the interpreter gave an outcome. */
interface UnfinishedRun {
  job: Job;
  journal: Journal;
  logger: Logger;
}

/**
 * Handles a failure that is no outcome of the flow: the lease was lost, the process stops, memory or a
 * dependency is missing, or the service has a defect.
 */
async function handleFailure(unfinished: UnfinishedRun, error: unknown): Promise<ExecutionEnd> {
  const { job, journal, logger } = unfinished;
  if (error instanceof LeaseLostError || job.interruption === 'lost') return { kind: 'released' };
  if (error instanceof ProcessStoppingError || job.interruption === 'stopping')
    return releaseRun(job, journal);
  const runId = job.run.doc._id;
  if (error instanceof MemoryExceededError) {
    logger.info({ runId, bytes: job.run.weight }, 'A run leaves its memory to others');
    return postponeRun(unfinished);
  }
  if (isTransientError(error)) {
    logger.warn({ err: error, runId }, 'A run waits for what it depends on');
    return postponeRun(unfinished);
  }
  if (error instanceof UnknownSecretsError) {
    logger.error({ err: error, runId }, 'The secrets that a run has sent cannot be opened');
    return endUnfinished(unfinished, { status: 'FAILED', error: SECRETS_UNKNOWN });
  }
  // A run that meets a defect ends: another worker would meet the same defect.
  const diverged = error instanceof ReplayDivergedError;
  const what = diverged ? 'A replay of a run diverged' : 'A run met a defect of the engine';
  logger.error({ err: error, runId }, what);
  return endUnfinished(unfinished, { status: 'FAILED', error: diverged ? DIVERGED : DEFECT });
}

/** Gives the run back for its backoff. A run whose deadline has passed ends instead. */
async function postponeRun(unfinished: UnfinishedRun): Promise<ExecutionEnd> {
  const { job, journal } = unfinished;
  const deadline = job.deadline;
  if (deadline.getTime() <= databaseClock.now()) {
    return endUnfinished(unfinished, { status: 'TIMED_OUT', error: RUN_TIMEOUT });
  }
  try {
    return {
      kind: 'waiting',
      wakeAt: await journal.flushAndGiveUp(() => job.run.postpone(deadline)),
    };
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    // A cancel was requested. This throws if the lease was lost.
    return awaitEnd(job.run.endCancelled(journal.endBatch));
  }
}

/**
 * Writes the pending journal entries, and ends the run at its open steps. A journal that cannot be written does not
 * prevent the end.
 */
async function endUnfinished(
  { job, journal, logger }: UnfinishedRun,
  { status, error }: Pick<RunEnd, 'status'> & { error: RunError },
): Promise<ExecutionEnd> {
  await journal.flush().catch((error: unknown) => {
    logger.error({ err: error, runId: job.run.doc._id }, 'A journal could not be written');
  });
  const batch = journal.endBatch;
  const end = { status, error: errorAt(error, batch.openSteps?.steps) };
  return awaitEnd(job.run.end(end, batch));
}

/** Logs that the run could be neither ended nor given back. The worker's sweep makes such a run ready again. */
function reportFailure(job: Job, failure: unknown, logger: Logger): ExecutionEnd {
  if (!(failure instanceof LeaseLostError) && job.interruption !== 'lost') {
    logger.error({ err: failure, runId: job.run.doc._id }, 'A run could not be given back');
  }
  return { kind: 'released' };
}

async function awaitEnd(writing: Promise<void>): Promise<ExecutionEnd> {
  await writing;
  return { kind: 'ended' };
}

/** Makes the run ready for the next claim of any worker. */
async function releaseRun({ run }: Job, journal: Journal): Promise<ExecutionEnd> {
  await journal.flushAndGiveUp(() => run.release());
  return { kind: 'released' };
}
