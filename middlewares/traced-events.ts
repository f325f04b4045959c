import type { Context } from 'moleculer';
import type { Meta } from '../contract/contract-types.ts';
import { environment } from '../environment/environment.ts';
import { currentTrace } from '../support/tracing/context.ts';
import { isRecording, type SpanStart, spanIn } from '../support/tracing/spans.ts';
import { defineMiddleware } from './middleware.ts';
import { callingService } from './traced-services.ts';

type EventOptions = { meta?: Partial<Meta>; parentCtx?: { meta: Meta } };
type Send = (name: string, payload: unknown, opts?: EventOptions) => Promise<unknown>;
type EventContext = Context<unknown, Partial<Meta>>;
type Handle = (ctx: EventContext) => Promise<unknown>;
type EventDefinition = { name: string; service: { name: string } };

/** What carries events, as OpenTelemetry's conventions for messaging name it. */
const SYSTEM = environment.NATS_URL ? 'nats' : 'moleculer';

/**
 * Records the events of a trace, by OpenTelemetry's conventions for messaging: a producer span where a service emits
 * the event, and in it a consumer span of each service that listens. Events outside a trace begin none.
 */
export const TracedEvents = defineMiddleware({
  name: 'TracedEvents',
  emit: (next: Send) => traceSending(next, 'emit'),
  broadcast: (next: Send) => traceSending(next, 'broadcast'),
  localEvent(next: Handle, { name, service }: EventDefinition): Handle {
    if (isOfMoleculer(name)) return next;
    const start = startOf('process', 'process', name, service.name);
    return (ctx) => {
      const { traceparent: parent } = ctx.meta;
      if (!isRecording() || parent === undefined) return next(ctx);
      return spanIn(
        parent,
        () => start,
        (traceparent) => {
          ctx.meta = { ...ctx.meta, traceparent }; // listeners of one process share the meta
          return next(ctx);
        },
      );
    };
  },
});

function traceSending(next: Send, operation: 'emit' | 'broadcast'): Send {
  return (name, payload, opts) => {
    if (!isRecording() || isOfMoleculer(name)) return next(name, payload, opts);
    const given = opts?.meta?.traceparent ?? opts?.parentCtx?.meta.traceparent;
    const parent = given ?? currentTrace();
    if (parent === undefined) return next(name, payload, opts);
    const service = callingService(opts?.meta as Meta | undefined);
    return spanIn(
      parent,
      () => startOf('send', operation, name, service),
      (traceparent) => next(name, payload, { ...opts, meta: { ...opts?.meta, traceparent } }),
    );
  };
}

const startOf = (
  type: 'send' | 'process',
  operation: string,
  event: string,
  service: string | undefined,
): SpanStart => ({
  name: `${operation} ${event}`,
  kind: type === 'send' ? 'producer' : 'consumer',
  service,
  attributes: {
    'messaging.system': SYSTEM,
    'messaging.operation.type': type,
    'messaging.operation.name': operation,
    'messaging.destination.name': event,
  },
});

/** Whether the event tells of Moleculer itself, such as `$node.connected`. */
const isOfMoleculer = (name: string): boolean => name.startsWith('$');
