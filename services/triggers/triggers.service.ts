import type { Service, ServiceSchema } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { ScheduleModel } from '../../models/schedule.model.ts';
import { WebhookModel } from '../../models/webhook.model.ts';
import { IDLE_FACTOR } from '../../support/activity.ts';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { logger } from '../../support/logging.ts';
import { levelOfFailure } from '../../support/stopping-brokers.ts';
import { type Actions, implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { createShareOwners } from '../share-owners/create-share-owners.ts';
import { flowFinder } from './flow-directory.ts';
import { removeOfFlows, removeTrigger } from './remove-of-flows.ts';
import { createSchedule, type ScheduleTools } from './schedules/create-schedule.ts';
import { listSchedules } from './schedules/list-schedules.ts';
import { findDueSince, listScheduleStates } from './schedules/schedule-states.ts';
import { carryOut } from './schedules/scheduler/carry-out.ts';
import { LeasedSchedules } from './schedules/scheduler/leased-schedules.ts';
import { RefusalLog } from './schedules/scheduler/refusal-log.ts';
import { Scheduler } from './schedules/scheduler/scheduler.ts';
import type { StartRun } from './schedules/scheduler/start-occurrence.ts';
import { schedules } from './schedules/schedules.store.ts';
import { Timetables } from './schedules/timetable.ts';
import { updateSchedule } from './schedules/update-schedule.ts';
import { triggersContract } from './triggers.contract.ts';
import { createWebhook, type WebhookTools } from './webhooks/create-webhook.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { observeReceipt } from './webhooks/observe-receipt.ts';
import { type ReceiveTools, receiveRequest } from './webhooks/receive-request.ts';
import { webhooks } from './webhooks/webhooks.store.ts';

/**
 * Milliseconds between two looks for due schedules. An occurrence is begun so late at most; an idle process looks less often,
 * and at the time of the next occurrence.
 */
const LOOK_EVERY_MS = 1_000;

/** What runs flows by itself: schedules and webhooks. */
export function triggersService(): ServiceSchema {
  let broker: Service['broker'];
  let tools: ScheduleTools;
  let scheduler: Scheduler;
  let webhookTools: WebhookTools & ReceiveTools;
  const erasures = erasuresOf('triggers', [ScheduleModel, WebhookModel]);
  const ask = <N extends keyof Actions & string>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']> =>
    broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, asSystem('triggers'));

  return {
    name: 'triggers',
    mixins: [
      erasures.mixin,
      Changes(schedules, webhooks),
      Sweep(LOOK_EVERY_MS, () => scheduler.look(), IDLE_FACTOR),
    ],
    actions: implement(
      triggersContract,
      {
        ...erasures.handlers,
        createSchedule: (ctx) =>
          createSchedule(ctx.locals.resource, ctx.params, changeOf(ctx), tools),
        listSchedules: ({ params }) => listSchedules(params, tools.timetables),
        updateSchedule: (ctx) =>
          updateSchedule(ctx.locals.resource, ctx.params, changeOf(ctx), tools),
        removeSchedule: async (ctx) => {
          await schedules.remove(ctx.locals.resource, changeOf(ctx));
          return null;
        },
        createWebhook: (ctx) =>
          createWebhook(ctx.locals.resource, ctx.params, changeOf(ctx), webhookTools),
        listWebhooks: ({ params }) => listWebhooks(params, webhookTools.sealer),
        removeWebhook: async (ctx) => {
          await webhooks.remove(ctx.locals.resource, changeOf(ctx));
          return null;
        },
        receive: ({ params }) => observeReceipt(() => receiveRequest(params, webhookTools)),
        removeOfFlows: ({ params }) => removeOfFlows(params),
        listScheduleStates: ({ params }) => listScheduleStates(params),
        dueSchedules: findDueSince,
      },
      {
        flow: (id: number) => tools.findFlow(id),
        schedule: schedules.find,
        webhook: webhooks.find,
      },
    ),
    events: {
      ...on(userVerified, () => tools.owners.drop()),
    },
    stopped: () => scheduler.stop(),
    created() {
      broker = this.broker;
      tools = {
        timetables: new Timetables(),
        owners: createShareOwners(this.broker, 'triggers'),
        findFlow: flowFinder(this.broker),
        findConfiguration: (params) => ask('configurations.forRun', params),
      };
      const startRun: StartRun = (params) => ask('runs.startTriggered', params);
      webhookTools = {
        findFlow: tools.findFlow,
        startRun,
        sealer: {
          seal: (params) => ask('connections.sealTexts', params),
          open: (params) => ask('connections.openTexts', params),
        },
      };
      const occurrences = {
        ...tools,
        leases: new LeasedSchedules(),
        startRun,
        removeOrphan: (id: number) => removeTrigger(schedules, id),
        log: new RefusalLog(logger),
      };
      scheduler = new Scheduler(
        (id) => carryOut(id, occurrences),
        (error) => {
          const level = levelOfFailure(this.broker, error);
          if (!isDatabaseAway(error))
            this.logger[level]({ err: error }, 'A schedule is repeated later');
        },
      );
    },
  };
}
