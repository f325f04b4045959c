import type { ContractedAction } from '../contract/contract-types.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

/**
 * Validates the results of handlers against their contracts, in development and tests. A wrong result is answered
 * with 500. Production omits this check because of its cost.
 */
export const ResultValidation = defineMiddleware({
  name: 'ResultValidation',
  localAction(next: Next, action: ContractedAction) {
    const result = action.contract?.().result;
    if (!result) return next;
    return async (ctx: ActionContext) => {
      const answer = await next(ctx);
      const checked = result.safeParse(answer);
      if (!checked.success) {
        throw new TypeError(
          `${action.name} answered what its contract does not say: ${checked.error.message}`,
        );
      }
      return answer;
    };
  },
});
