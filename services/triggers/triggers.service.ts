import type { ServiceSchema } from 'moleculer';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { ScheduleModel } from '../../models/schedule.model.ts';
import { WebhookModel } from '../../models/webhook.model.ts';
import { implement } from '../contracts.ts';
import { removeOfFlows } from './remove-of-flows.ts';
import { schedules } from './schedules/schedules.store.ts';
import { triggersContract } from './triggers.contract.ts';
import { webhooks } from './webhooks/webhooks.store.ts';

/** What runs flows by itself: schedules and webhooks. */
export function triggersService(): ServiceSchema {
  const erasures = erasuresOf('triggers', [ScheduleModel, WebhookModel]);
  return {
    name: 'triggers',
    mixins: [erasures.mixin, Changes(schedules, webhooks)],
    actions: implement(triggersContract, {
      ...erasures.handlers,
      removeOfFlows: ({ params }) => removeOfFlows(params),
    }),
  };
}
