import type { ServiceBroker } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import { noteActivity, whileActive } from '../support/activity.ts';
import { defineMiddleware, type ActionContext, type Next } from './middleware.ts';

const noteWork =
  (next: Next): Next =>
  (ctx) =>
    isMonitoring(ctx) ? next(ctx) : whileActive(() => next(ctx));

/** Metrics call actions each time that they are read. */
const isMonitoring = ({ meta: { caller } }: ActionContext): boolean =>
  caller?.kind === 'system' && caller.service === 'telemetry';

/** Actions that the gateway answers by itself, such as those of health: they are no activity. */
const isOfGateway = ({ name }: ContractedAction): boolean => name.startsWith('api.');

/** Notes the calls and events that the process handles, and the calls that it makes, as its activity. */
export const Activity = defineMiddleware({
  name: 'Activity',
  localAction: (next: Next, action: ContractedAction) =>
    action.contract && !isOfGateway(action) ? noteWork(next) : next,
  remoteAction: noteWork,
  localEvent: noteWork,
  /** A process that is gone may have left work to this one. */
  created(broker: ServiceBroker) {
    broker.localBus.on('$node.disconnected', noteActivity);
  },
});
