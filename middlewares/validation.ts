import { paramsOf, placeOf } from '../contract/contract.ts';
import type { ContractedAction } from '../contract/contract-types.ts';
import { invalidRequest } from '../contract/problem.ts';
import { faultsOf, oneEach } from '../contract/zod-faults.ts';
import { installZodMessages } from '../contract/zod-messages.ts';
import { type ActionContext, defineMiddleware, type Next } from './middleware.ts';

installZodMessages();

/** Validates the parameters of an action against its contract, after the access check. */
export const Validation = defineMiddleware({
  name: 'Validation',
  localAction(next: Next, action: ContractedAction) {
    if (!action.contract) return next;
    const contract = action.contract();
    const params = paramsOf(contract); // once, when the service is made
    return async (ctx: ActionContext) => {
      const parsed = params.safeParse(ctx.params ?? {});
      const faults = [
        ...(ctx.meta.faults ?? []),
        ...(parsed.success
          ? []
          : faultsOf(parsed.error, ctx.params, (name) => placeOf(contract, name))),
      ];
      if (!parsed.success || faults.length) throw invalidRequest(oneEach(faults));
      ctx.params = parsed.data;
      keepFromNestedCalls(ctx);
      return next(ctx);
    };
  },
});

/** Removes the fields of the meta that only this action may use, because nested calls inherit the meta. */
function keepFromNestedCalls({ meta, locals }: ActionContext): void {
  locals.ifMatch = meta.ifMatch;
  locals.reservedId = meta.reservedId;
  locals.byteRange = meta.byteRange;
  locals.asEvents = meta.asEvents;
  delete meta.faults;
  delete meta.ifMatch;
  delete meta.reservedId;
  delete meta.byteRange;
  delete meta.asEvents;
}
