import type { ContractedAction, Meta } from '../contract/contract-types.ts';
import { currentTrace } from '../support/tracing/context.ts';
import { spanIn } from '../support/tracing/spans.ts';
import { type ActionContext, type BrokerCall, defineMiddleware, type Next } from './middleware.ts';

const noAttributes = () => ({});

/** Hands the present trace to each call, also to calls that a service makes outside a context. */
export const TracedCalls = defineMiddleware({
  name: 'TracedCalls',
  call(next: BrokerCall): BrokerCall {
    return (name, params, opts) => {
      const traceparent = currentTrace();
      const given = opts as { meta?: Meta; parentCtx?: { meta: Meta } } | undefined;
      if (!traceparent || (given?.meta?.traceparent ?? given?.parentCtx?.meta.traceparent)) {
        return next(name, params, opts);
      }
      return next(name, params, { ...opts, meta: { ...given?.meta, traceparent } });
    };
  },
  localAction(next: Next, action: ContractedAction) {
    if (!action.contract) return next;
    return (ctx: ActionContext) =>
      spanIn(ctx.meta.traceparent, action.name, 'action', noAttributes, (traceparent) => {
        ctx.meta.traceparent = traceparent;
        return next(ctx);
      });
  },
});
