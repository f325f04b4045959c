import type { ContractedAction } from '../contract/contract-types.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

/**
 * Holds what handlers answer against the contract, in development and tests: an answer that the
 * reference does not promise is a fault of ours. Production's hot path goes without.
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
