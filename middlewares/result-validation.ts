import { Readable } from 'node:stream';
import type { ActionContract } from '../contract/contract.ts';
import type { ContractedAction } from '../contract/contract-types.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

/**
 * Validates the results of handlers against their contracts, in development and tests. A wrong result is answered
 * with 500. Production omits this check because of its cost.
 */
export const ResultValidation = defineMiddleware({
  name: 'ResultValidation',
  localAction(next: Next, action: ContractedAction) {
    const contract = action.contract?.();
    const result = contract?.result;
    if (!result) return next;
    return async (ctx: ActionContext) => {
      const answer = await next(ctx);
      if (mayStream(contract) && answer instanceof Readable) {
        // Over NATS each object would be a message, of a bounded length.
        if (!answer.readableObjectMode) return answer;
        throw new TypeError(`${action.name} answered a stream of objects`);
      }
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

const mayStream = ({ format, streamed }: ActionContract): boolean =>
  format === 'file' || streamed !== undefined;
