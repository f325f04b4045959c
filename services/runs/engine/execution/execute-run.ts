import { interpret, jsonOf, type Outcome, type Plan } from '@workspace-automation/flow-language';
import type { Logger } from 'pino';
import type { Share } from '../../../../support/fair-shares/share.ts';
import { type Attributes, spanIn } from '../../../../support/tracing/spans.ts';
import { runBegun } from '../../runs.diagnostics.ts';
import { LeaseLostError, NO_ENTRIES, type RunEnd } from '../lease/leased-run.ts';
import { isTransientError } from '../writes/transient-errors.ts';
import { ReplayDivergedError } from './effect-records.ts';
import { type HostTools, hostOf } from './host.ts';
import { type Job, MemoryExceededError, ProcessStoppingError } from './job.ts';
import { Journal } from './journal.ts';
import type { VersionKey } from './plan-cache.ts';
import { DEFECT, DIVERGED, RUN_TIMEOUT, UNUSABLE_VERSION } from './run-errors.ts';

export interface ExecutionTools extends HostTools {
  /** The compiled version, or null when it cannot be run any more. */
  planOf: (version: VersionKey, share: Share) => Promise<Plan | null>;
  logger: Logger;
}

/** How this worker's hold of the run ended. */
export type ExecutionEnd =
  | { kind: 'ended' }
  | { kind: 'waiting'; wakeAt: Date }
  /** Somebody else goes on with it. */
  | { kind: 'released' };

/** After the run's deadline, for whatever did not notice it. */
const OVERDUE_MS = 1_000;
/** The longest that a timer of Node's may run. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Follows a claimed run until it ends, waits, or is no longer this worker's. Never rejects. */
export function executeRun(job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  const { fence, createdAt, startedAt, traceparent } = job.run.doc;
  if (fence === 1 && startedAt)
    runBegun.publish({ waitedMs: startedAt.getTime() - createdAt.getTime() });
  const attributes = () => attributesOf(job);
  return spanIn(traceparent, 'run', 'run', attributes, async (_, span) => {
    const following = await followToItsEnd(job, tools);
    span?.set({ 'flow.run.left': following.kind });
    return following;
  });
}

function attributesOf({ run: { doc } }: Job): Attributes {
  return { 'flow.run.id': doc._id, 'flow.id': doc.flowId, 'workspace.id': doc.workspaceId };
}

async function followToItsEnd(job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  const left = job.deadline.getTime() + OVERDUE_MS - Date.now();
  const overdue = setTimeout(
    () => job.interrupt('overdue'),
    Math.min(Math.max(left, OVERDUE_MS), LONGEST_TIMER_MS),
  );
  try {
    return await follow(job, tools);
  } finally {
    clearTimeout(overdue);
  }
}

async function follow(job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  const journal = new Journal(job.run);
  try {
    return await followBy(journal, job, tools);
  } catch (error) {
    return await giveUp({ job, journal, logger: tools.logger }, error).catch((failure: unknown) =>
      leftAsItIs(job, failure, tools.logger),
    );
  } finally {
    journal.close();
  }
}

async function followBy(journal: Journal, job: Job, tools: ExecutionTools): Promise<ExecutionEnd> {
  const { run } = job;
  if (run.doc.cancelRequestedAt) return ended(run.endCancelled());
  job.assertMemory();
  await journal.load();
  const plan = await tools.planOf(run.doc, job.share);
  if (!plan) return ended(journal.end({ status: 'FAILED', error: UNUSABLE_VERSION }));
  const outcome = await interpret(plan, hostOf(job, journal, tools));
  return settle(job, journal, outcome);
}

async function settle(job: Job, journal: Journal, outcome: Outcome): Promise<ExecutionEnd> {
  switch (outcome.kind) {
    case 'succeeded':
      journal.assertReplayed();
      return ended(journal.end({ status: 'SUCCESS', output: jsonOf(outcome.output) }));
    case 'failed':
      journal.assertReplayed();
      return ended(journal.end({ status: 'FAILED', error: outcome.error }));
    case 'timed-out':
      return ended(journal.end({ status: 'TIMED_OUT', error: outcome.error }));
    case 'suspended':
      journal.assertReplayed();
      return suspend(job, journal, outcome);
    case 'aborted':
      return interrupted(job, journal);
  }
}

async function suspend(
  job: Job,
  journal: Journal,
  { wakeAt: at, note }: Extract<Outcome, { kind: 'suspended' }>,
): Promise<ExecutionEnd> {
  const wakeAt = new Date(Math.min(at, job.deadline.getTime()));
  const waits = await journal.suspend(wakeAt, note);
  return waits ? { kind: 'waiting', wakeAt } : { kind: 'ended' };
}

async function interrupted(job: Job, journal: Journal): Promise<ExecutionEnd> {
  switch (job.interruption) {
    case 'cancelled':
      return ended(journal.end({ status: 'CANCELLED' }));
    case 'overdue':
      return ended(journal.end({ status: 'TIMED_OUT', error: RUN_TIMEOUT }));
    case 'stopping':
      return letGo(job, journal);
    default:
      return { kind: 'released' };
  }
}

/** A run that cannot be followed to an outcome. */
interface Unfinished {
  job: Job;
  journal: Journal;
  logger: Logger;
}

/** What is not an outcome of the flow: a loss, a stop, something that is away, or a defect of ours. */
async function giveUp(unfinished: Unfinished, error: unknown): Promise<ExecutionEnd> {
  const { job, journal, logger } = unfinished;
  if (error instanceof LeaseLostError || job.interruption === 'lost') return { kind: 'released' };
  if (error instanceof ProcessStoppingError || job.interruption === 'stopping')
    return letGo(job, journal);
  const runId = job.run.doc._id;
  if (error instanceof MemoryExceededError) {
    logger.info({ runId, bytes: job.run.weight }, 'A run leaves its memory to others');
    return postpone(unfinished);
  }
  if (isTransientError(error)) {
    logger.warn({ err: error, runId }, 'A run waits for what it depends on');
    return postpone(unfinished);
  }
  // A run that cannot be followed ends: handed on, it would fail everywhere and for ever.
  const diverged = error instanceof ReplayDivergedError;
  const what = diverged ? 'A replay of a run diverged' : 'A run met a defect of the engine';
  logger.error({ err: error, runId }, what);
  return endedAsItIs(unfinished, { status: 'FAILED', error: diverged ? DIVERGED : DEFECT });
}

/** Until its deadline: behind it there is nothing to wait for, and nobody who would notice it. */
async function postpone(unfinished: Unfinished): Promise<ExecutionEnd> {
  const { job, journal } = unfinished;
  const deadline = job.deadline;
  if (deadline.getTime() <= Date.now()) {
    return endedAsItIs(unfinished, { status: 'TIMED_OUT', error: RUN_TIMEOUT });
  }
  try {
    return {
      kind: 'waiting',
      wakeAt: await journal.flushAndGiveUp(() => job.run.postpone(deadline)),
    };
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    return ended(job.run.endCancelled()); // cancelled just now, or overtaken indeed
  }
}

/** With what its journal takes: that it takes nothing more may be why the run ends. */
async function endedAsItIs(
  { job, journal, logger }: Unfinished,
  end: RunEnd,
): Promise<ExecutionEnd> {
  await journal.flush().catch((error: unknown) => {
    logger.error({ err: error, runId: job.run.doc._id }, 'A journal could not be written');
  });
  return ended(job.run.end(end, NO_ENTRIES));
}

/** Neither ended nor given back: the worker's sweep finds a run that it holds without working on it. */
function leftAsItIs(job: Job, failure: unknown, logger: Logger): ExecutionEnd {
  if (!(failure instanceof LeaseLostError) && job.interruption !== 'lost') {
    logger.error({ err: failure, runId: job.run.doc._id }, 'A run could not be given back');
  }
  return { kind: 'released' };
}

async function ended(writing: Promise<void>): Promise<ExecutionEnd> {
  await writing;
  return { kind: 'ended' };
}

/** Gives the run back to whoever claims it next. */
async function letGo({ run }: Job, journal: Journal): Promise<ExecutionEnd> {
  await journal.flushAndGiveUp(() => run.release());
  return { kind: 'released' };
}
