import {
  type FlowError,
  type Host,
  effectKey,
  type Pending,
  type Performed,
  type PerformRequest,
  runTimeout,
  type Sandbox,
} from '@workspace-automation/flow-language';
import { databaseClock } from '../../../../mixins/database/database-clock.ts';
import type { EffectRecord, SentSecrets } from '../../../../models/journal-entry.ts';
import { isFlowRun, type RunDocument } from '../../../../models/run.model.ts';
import { jobContextOf } from '../../../../support/fair-shares/cpu-shares.ts';
import type { ChildRun } from '../children/child-runs.ts';
import type { AnswerQueue, RunAnswers } from './effects/answer-queue.ts';
import type { CallQueue, RunCalls } from './effects/call-queue.ts';
import type { EffectContext, EffectTools } from './effects/effect.ts';
import { isCall, isPrepared, performEffect } from './effects/effects.ts';
import { runInTurn, type TurnWait } from './effects/turn-wait.ts';
import type { Job } from './job.ts';
import { JobChildren } from './job-children.ts';
import { performedOf, recordOf } from './journal/effect-records.ts';
import type { Journal } from './journal/journal.ts';
import { cancelled } from './run-errors.ts';
import { RunSecrets } from './run-secrets.ts';
import { CHILD_START_COST, EFFECT_COST, TASK_COST } from './work-costs.ts';

/** The tools with which runs evaluate expressions and carry out effects. */
export interface HostTools extends EffectTools {
  evaluator: Pick<Sandbox, 'evaluate' | 'test'>;
  calls: CallQueue;
  answers: AnswerQueue;
  /** Milliseconds in place of `MAX_SLEEP_MS`. */
  maxSleepMs?: number;
}

/**
 * The most milliseconds that a run waits in this process while none of its branches works. Before a longer wait the run
 * leaves the process.
 */
const MAX_SLEEP_MS = 1_000;

/** Makes the host through which the interpreter executes a claimed run. */
export function hostOf(job: Job, journal: Journal, tools: HostTools): Host {
  const { doc } = job.run;
  const { evaluator, maxSleepMs = MAX_SLEEP_MS } = tools;
  const context = jobContextOf(job.share);
  const secrets = new RunSecrets(doc.workspaceId, journal.earlierSecrets, tools.connections);
  const start = startChildInTurn(job);
  const children = new JobChildren(job.run, tools.children, start, job.endedChildren);
  const calls = tools.calls.forRun(job.share, job.slot);
  const answers = tools.answers.forRun(job.share);
  const compute = <T>(work: (isQuarantined: boolean) => Promise<T>) =>
    answers.evaluate(() => job.slot.compute(work));
  let interpretedBytes = 0;
  const hold = (bytes = interpretedBytes) => {
    interpretedBytes = bytes;
    job.holdMemory(bytes + journal.weight + secrets.weight, journal.replay.isUnderWay());
  };
  const performer = { job, journal, tools, secrets, children, calls, answers, hold };
  return {
    run: {
      id: doc._id,
      ...(isFlowRun(doc) ? { flowId: doc.flowId } : { workflowId: doc.execution?.workflowId }),
      workspaceId: doc.workspaceId,
      attempt: doc.attempt ?? 1,
      startedAt: job.startedAt.toISOString(),
    },
    input: doc.input,
    properties: doc.configuration?.properties ?? '{}',
    seed: originOf(doc),
    deadline: job.deadline.getTime(),
    evaluator: {
      evaluate: (request) =>
        compute((isQuarantined) => evaluator.evaluate({ ...request, ...context, isQuarantined })),
      test: (request) =>
        compute((isQuarantined) => evaluator.test({ ...request, ...context, isQuarantined })),
    },
    now: () => databaseClock.now(),
    signal: job.signal,
    interruption: () => interruptionOf(job),
    hold,
    begin: (step) => journal.begin(step),
    record: (step) => {
      job.slot.charge(TASK_COST);
      journal.record(step);
    },
    note: async ({ key, performed }) => journal.appendEffect(key, recordOf(performed)),
    recall: (key) => journal.replay.takeEffect(key),
    recallDecision: (key, droppedBy) => journal.replay.takeDecision(key, droppedBy),
    noteDecision: async ({ key, performed }, isLost) => {
      journal.replay.drop(isLost);
      journal.appendEffect(key, recordOf(performed));
      children.cancelAwaited(isLost, () => journal.flushEffects());
    },
    consume: (key) => journal.consume(key),
    replaying: (isOf) => journal.replay.isUnderWay(isOf),
    maySleep: (untilMs) => !job.isDraining && untilMs - databaseClock.now() <= maxSleepMs,
    sleep: (untilMs, signal) => job.sleep(untilMs, signal),
    isTurnDue: () => job.slot.isTurnDue,
    nextTurn: () => job.slot.takeTurn(),
    checkpoint: journal.checkpoint,
    wantsCheckpoint: (when) => journal.wantsCheckpoint(when),
    saveCheckpoint: async (checkpoint) => journal.appendCheckpoint(checkpoint),
    perform: (request) => performOnce(request, performer),
  };
}

/** Makes the starts of child runs wait for the turns of the job's owner. */
const startChildInTurn =
  (job: Job) =>
  (wait: TurnWait, start: () => Promise<ChildRun>): Promise<ChildRun | null> =>
    runInTurn(
      wait,
      (signal, inTurn) => job.slot.startChild(CHILD_START_COST, signal, inTurn),
      async () => {
        job.assertMayBeginEffect(); // the process may stop while the start waits
        return start();
      },
    );

/** Returns the id of the run that seeds random values and begins each `Idempotency-Key`. */
const originOf = ({ _id, originId = _id }: RunDocument): string => String(originId);

/** Makes the end of an effect that has to look for its result again at once. */
const lookAgain = (): Pending => ({ kind: 'pending', untilMs: databaseClock.now() });

/** A run, with the journal and the tools of its effects. */
interface Performer {
  job: Job;
  journal: Journal;
  tools: EffectTools;
  secrets: RunSecrets;
  children: JobChildren;
  calls: RunCalls;
  answers: RunAnswers;
  /** Counts the memory of the run again. Throws `MemoryExceededError` when the run has to leave. */
  hold: () => void;
}

/** Takes the end of an effect from the journal, or carries the effect out and journals its end. */
async function performOnce(
  request: PerformRequest,
  performer: Performer,
): Promise<Performed | Pending> {
  const { job, journal } = performer;
  const { key } = request.position;
  const known = journal.replay.takeRecord(key, request.owns);
  if (known) return readRecord(known, request, performer);
  journal.replay.assertReached(request.owns);
  job.slot.charge(EFFECT_COST);
  const carryOut = () => performNew(request, performer);
  // Until the run has its slot again the result stays JSON text: a parsed result may take twenty times as much
  // memory.
  const record = isCall(request.effect)
    ? ((await performer.calls.run(request, carryOut)) ?? endWithoutTurn(request, performer))
    : await job.slot.waitFor(carryOut);
  return isPending(record) ? record : readRecord(record, request, performer);
}

const readRecord = (
  record: EffectRecord,
  { signal }: PerformRequest,
  { answers }: Performer,
): Promise<Performed> =>
  answers.readResult(record.json?.length ?? 0, () => performedOf(record), signal);

/** Carries an effect out whose end the journal does not have, and journals the end. */
async function performNew(
  request: PerformRequest,
  performer: Performer,
): Promise<EffectRecord | Pending> {
  const { job, journal, hold, children } = performer;
  const { key } = request.position;
  const begin = (sent: SentSecrets | null) => beginEffect(request, performer, sent);
  if (!isPrepared(request.effect)) await begin(null);
  const record = await perform(request, performer, begin);
  request.signal.throwIfAborted(); // the journal has no end of a cancelled branch's effects
  if (isPending(record)) return record;
  // Another branch has received the signal meanwhile: the effect looks again at once.
  if (record.signal && !job.mailbox.consume(record.signal)) return lookAgain();
  job.mailbox.endWait(key);
  journal.appendEffect(key, record);
  // A task that has timed out still waits for its child run.
  const isEnded = (other: string) => other === key;
  children.cancelAwaited(isEnded, () => journal.flushEffects());
  hold();
  return record;
}

/** Journals the end of a call that got no turn before its deadline. */
function endWithoutTurn(
  { deadline, position, signal }: PerformRequest,
  { journal }: Performer,
): EffectRecord | Pending {
  signal.throwIfAborted();
  if (databaseClock.now() < deadline) return lookAgain();
  const completedAt = Math.max(deadline, journal.latestTime);
  const record = recordOf({ kind: 'timed-out', completedAt });
  journal.appendEffect(position.key, record);
  return record;
}

const isPending = (end: EffectRecord | Pending): end is Pending => end.kind === 'pending';

/**
 * Makes durable the ends of earlier effects, and the secrets that this effect sends first. Throws when no effect may
 * begin.
 */
async function beginEffect(
  { position, signal }: PerformRequest,
  { job, journal }: Performer,
  sent: SentSecrets | null,
): Promise<void> {
  if (sent) journal.appendSecrets(position.key, sent);
  await journal.flushEffects();
  signal.throwIfAborted();
  job.assertMayBeginEffect();
}

async function perform(
  { effect, task, position, deadline, signal }: PerformRequest,
  { job, journal, tools, secrets, children, answers }: Performer,
  begin: EffectContext['begin'],
): Promise<EffectRecord | Pending> {
  const exchange = journal.exchanges.begin(position.key);
  const performed = await performEffect(effect, {
    task,
    tools,
    run: job.run.doc,
    secrets,
    mailbox: job.mailbox,
    children,
    answers,
    key: position.key,
    exchange,
    begin,
    idempotencyKey: `${tools.installation()}/${effectKey(originOf(job.run.doc), position)}`,
    effectKey: effectKey(String(job.run.doc._id), position),
    deadline,
    signal,
  });
  if (performed.kind === 'pending') return performed;
  const { completedAt = databaseClock.now(), credentialId, signal: received, ...end } = performed;
  // Another branch may have journalled a later time: what came in time still ends by the deadline.
  const earliest = Math.min(journal.latestTime, deadline);
  const record = recordOf({ ...end, completedAt: Math.max(completedAt, earliest) });
  const credential = credentialId === undefined ? {} : { credentialId };
  const consumed = received === undefined ? {} : { signal: received };
  return { ...record, ...credential, ...consumed, ...exchange.fields };
}

/** The error with which a cancel or the run's deadline ends the tasks under way. */
function interruptionOf({ interruption }: Job): FlowError | null {
  if (interruption === 'cancelled') return cancelled();
  return interruption === 'overdue' ? runTimeout() : null;
}
