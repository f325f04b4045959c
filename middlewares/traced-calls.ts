import type { ServiceBroker } from 'moleculer';
import type { ContractedAction, Meta } from '../contract/contract-types.ts';
import { currentTrace } from '../support/tracing/context.ts';
import { isRecording, type Span, type SpanStart, spanIn } from '../support/tracing/spans.ts';
import { type ActionContext, type BrokerCall, defineMiddleware, type Next } from './middleware.ts';
import { callingService, serviceOfName } from './traced-services.ts';

/**
 * Hands the present trace to each call, also to calls that a service makes outside a context. By OpenTelemetry's
 * conventions for RPC, a call between two services is a client span and a server span in it, in one process and
 * between processes alike; a call within a service is one internal span.
 */
export const TracedCalls = defineMiddleware({
  name: 'TracedCalls',
  call(next: BrokerCall): BrokerCall {
    return (name, params, opts) => {
      const given = opts as { meta?: Meta; parentCtx?: { meta: Meta } } | undefined;
      if (given?.meta?.traceparent ?? given?.parentCtx?.meta.traceparent) {
        return next(name, params, opts);
      }
      // A copy, because services use the options of their calls again, and a call adds its traceparent to the meta.
      const traceparent = currentTrace();
      const meta = { ...given?.meta, ...(traceparent === undefined ? {} : { traceparent }) };
      return next(name, params, { ...opts, meta });
    };
  },
  localAction(next: Next, action: ContractedAction) {
    if (!action.contract) return next;
    const { client, server, internal, service } = startsOf(action.name);
    const serve = (ctx: ActionContext, start: SpanStart) =>
      inCall(ctx, start, () => next(ctx) as Promise<unknown>);
    return (ctx: ActionContext) => {
      const caller = isRecording() && isOfThisProcess(ctx) ? callingService(ctx.meta) : undefined;
      if (caller === service) return serve(ctx, internal);
      if (caller === undefined) return serve(ctx, server);
      return inCall(ctx, { ...client, service: caller }, () => serve(ctx, server));
    };
  },
  remoteAction(next: Next, { name }: { name: string }) {
    if (name.startsWith('$')) return next;
    const { client } = startsOf(name);
    const attributes = { ...client.attributes, 'network.protocol.name': 'nats' };
    return (ctx: ActionContext) => {
      if (!isRecording()) return next(ctx);
      const start = { ...client, attributes, service: callingService(ctx.meta) };
      return inCall(ctx, start, () => next(ctx));
    };
  },
});

/** The spans of an action's calls, which have the same attributes each time. */
function startsOf(action: string) {
  const service = serviceOfName(action);
  const attributes = {
    'rpc.system.name': 'moleculer',
    'rpc.service': service,
    'rpc.method': action,
  };
  const of = (kind: SpanStart['kind']): SpanStart => ({ name: action, kind, service, attributes });
  const client: SpanStart = {
    ...of('client'),
    attributes: { ...attributes, 'server.address': service },
  };
  return { service, client, server: of('server'), internal: of('internal') };
}

const isOfThisProcess = ({ nodeID, broker }: { nodeID: string | null; broker: ServiceBroker }) =>
  nodeID === broker.nodeID;

/** Does the work in a span, whose traceparent the call carries from then on. */
function inCall(
  ctx: ActionContext,
  start: SpanStart,
  work: () => Promise<unknown>,
): Promise<unknown> {
  return spanIn(
    ctx.meta.traceparent,
    () => start,
    (traceparent, span) => {
      ctx.meta.traceparent = traceparent;
      return span ? withStatus(span, work) : work();
    },
  );
}

/** Adds the status of a refused or failed call. */
async function withStatus(span: Span, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') span.set({ 'rpc.response.status_code': String(code) });
    throw error;
  }
}
