import { type Pending, parseJson } from '@workspace-automation/flow-language';
import { databaseClock } from '../../../../../mixins/database/database-clock.ts';
import { signalOf } from '../../mailbox/mailbox.ts';
import { signalTopic } from '../../mailbox/topics.ts';
import { completedInTime, type EffectContext, type EffectEnd, type EffectOf } from './effect.ts';

/**
 * Receives the kept signal of a name, or waits for one until the deadline. The time of the post decides: a worker that
 * looks after the deadline receives a signal from before the deadline, and leaves a later signal to a later `listen`.
 */
export async function receiveSignal(
  { signal: name }: EffectOf<'listen'>,
  { mailbox, key, deadline, signal }: EffectContext,
): Promise<EffectEnd | Pending> {
  const isOverdue = databaseClock.now() >= deadline;
  const { wakeups, signals } = await mailbox.look(isOverdue ? deadline : undefined);
  const kept = signalOf(signals, name);
  if (kept && !mailbox.isConsumed({ name, id: kept.id })) {
    const completedAt = completedInTime(kept.postedAt, deadline);
    const received = { name, id: kept.id };
    if (completedAt !== null)
      return { kind: 'succeeded', value: parseJson(kept.json), signal: received, completedAt };
  }
  if (isOverdue) return { kind: 'timed-out', completedAt: deadline };
  mailbox.wait(key, { topic: signalTopic(name), wakeups, signal });
  return { kind: 'pending', untilMs: deadline };
}
