import {
  FlowError,
  flowError,
  type Pending,
  type Problem,
  parseJson,
  type RunEffect,
} from '@workspace-automation/flow-language';
import { databaseClock } from '../../../../../mixins/database/database-clock.ts';
import type { ChildRun } from '../../children/child-runs.ts';
import { childTopic } from '../../mailbox/topics.ts';
import { completedInTime, type EffectContext, type EffectEnd } from './effect.ts';

/** Milliseconds after the start of a child run in which its parent stays in the process. Then the parent is suspended. */
const STAY_MS = 1_000;

/**
 * Starts a child run and waits for its end, or gives the child run up at the deadline. A child run that has ended by the
 * deadline ends the effect, also where a worker looks later.
 */
export async function runFlow(
  effect: RunEffect,
  context: EffectContext,
): Promise<EffectEnd | Pending> {
  const { mailbox, key, deadline, signal, children } = context;
  const { child, wakeups } = await findOrStart(effect, context);
  if (child === null) return { kind: 'timed-out', completedAt: deadline };
  if ('kind' in child) return child;
  if (!child.live) {
    children.endWait(key);
    const completedAt = completedInTime(child.completedAt, deadline);
    if (completedAt === null) return { kind: 'timed-out', completedAt: deadline };
    return { ...endOf(child), completedAt };
  }
  // The host cancels the child run once this end is durable.
  if (databaseClock.now() >= deadline) return { kind: 'timed-out', completedAt: deadline };
  mailbox.wait(key, { topic: childTopic(child._id), wakeups, signal });
  const stayUntil = child.createdAt.getTime() + STAY_MS;
  const mayStay = stayUntil > databaseClock.now() && stayUntil < deadline;
  return { kind: 'pending', untilMs: mayStay ? stayUntil : deadline };
}

/**
 * Finds the child run or starts it; null where the deadline has passed before the start. Returns a count of
 * notifications from before the read of the child run as well, so that a later end of the child run is a notification.
 */
async function findOrStart(
  effect: RunEffect,
  { mailbox, key, children, deadline, signal }: EffectContext,
): Promise<{ child: ChildRun | (EffectEnd & { kind: 'failed' }) | null; wakeups: number }> {
  const find = () => children.findOrStart(key, effect, { deadline, signal }).catch(failureOf);
  const { wakeups, isOutdated } = mailbox.known;
  // The notification of an effect that waits is probably its child run's end, which needs no count.
  if (!isOutdated || mailbox.waits(key)) {
    const child = await find();
    const isLive = child !== null && 'live' in child && child.live;
    if (!isOutdated || !isLive) return { child, wakeups };
  }
  const mail = await mailbox.look();
  return { child: await find(), wakeups: mail.wakeups };
}

function failureOf(error: unknown): EffectEnd & { kind: 'failed' } {
  if (error instanceof FlowError) return { kind: 'failed', problem: error.problem };
  throw error;
}

/** Words for the place of an error in the file of the child run. */
const placeOf = (instance: string): string => (instance ? ` at ${instance}` : '');

/** Makes the end of the effect from the end of the child run. */
function endOf({ _id, flowName, status, output, error }: ChildRun): EffectEnd {
  if (status === 'SUCCESS') return { kind: 'succeeded', value: parseJson(output ?? 'null') };
  const run = `run ${_id} of the flow ${JSON.stringify(flowName)}`;
  if (error === null) {
    return {
      kind: 'failed',
      problem: flowError('runtime', 'CANCELLED', `${run} was cancelled`).problem,
    };
  }
  const { instance, detail, cause, ...problem } = JSON.parse(error) as Problem;
  const failure = new FlowError({
    ...problem,
    detail: `${run} failed${placeOf(instance)}: ${detail}`,
    ...(cause && {
      cause: {
        ...cause,
        instance: '',
        detail: `in ${run}${placeOf(cause.instance)}: ${cause.detail}`,
      },
    }),
  });
  return { kind: 'failed', problem: failure.problem };
}
