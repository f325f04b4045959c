import { isProblem, NotFound } from '../../contract/problem.ts';
import { systemChange } from '../../mixins/changes/change-context.ts';
import { ScheduleModel } from '../../models/schedule.model.ts';
import { WebhookModel } from '../../models/webhook.model.ts';
import type { Params } from '../contracts.ts';
import { schedules } from './schedules/schedules.store.ts';
import { webhooks } from './webhooks/webhooks.store.ts';

const REMOVAL = systemChange('triggers', 'triggers.removeOfFlows', {
  none: 'the entry of the deletion of the flow says it',
});

/** Removes the triggers of deleted flows. */
export async function removeOfFlows({ entries }: Params<'triggers.removeOfFlows'>): Promise<null> {
  const flowId = { $in: entries.map((entry) => entry.flowId) };
  const found = await Promise.all([
    ScheduleModel.find({ flowId }, { _id: 1 }).lean(),
    WebhookModel.find({ flowId }, { _id: 1 }).lean(),
  ]);
  for (const { _id } of found[0]) await removeTrigger(schedules, _id);
  for (const { _id } of found[1]) await removeTrigger(webhooks, _id);
  return null;
}

/** The part of a store of triggers that a removal needs. */
interface TriggerStore<S> {
  find: (id: number) => Promise<S | null>;
  remove: (trigger: S, change: typeof REMOVAL) => Promise<void>;
}

/** Removes a trigger whose flow is gone. Another removal may come first. */
export async function removeTrigger<S>(store: TriggerStore<S>, id: number): Promise<void> {
  const trigger = await store.find(id);
  if (!trigger) return;
  await store.remove(trigger, REMOVAL).catch((error: unknown) => {
    if (!isProblem(error, NotFound)) throw error;
  });
}
