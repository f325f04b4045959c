import { Errors } from 'moleculer';
import type { ContractedAction } from '../contract/contract-types.ts';
import { DiagnosticEvent } from '../support/diagnostic-event.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

/** The event of a call that an action of this process has answered. The outcome `refused` is an error below 500. */
export const callServed = new DiagnosticEvent<{
  action: string;
  outcome: 'ok' | 'refused' | 'failed';
  ms: number;
}>('call-served');

/** Publishes the outcome and the duration of every call that an action of this process serves. */
export const CallFigures = defineMiddleware({
  name: 'CallFigures',
  localAction(next: Next, action: ContractedAction) {
    if (!action.contract) return next;
    return async (ctx: ActionContext) => {
      const began = performance.now();
      const publishOutcome = (outcome: 'ok' | 'refused' | 'failed') =>
        callServed.publish({ action: action.name, outcome, ms: performance.now() - began });
      try {
        const answer = await next(ctx);
        publishOutcome('ok');
        return answer;
      } catch (error) {
        publishOutcome(
          error instanceof Errors.MoleculerError && error.code < 500 ? 'refused' : 'failed',
        );
        throw error;
      }
    };
  },
});
