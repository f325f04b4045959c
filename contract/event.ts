import type { Service, ServiceSchema } from 'moleculer';
import type { z } from 'zod';
import { isDevelopment } from '../environment/environment.ts';
import type { TypedContext } from './contract-types.ts';

/**
 * The receivers of an event: `broadcast` reaches every process, `one` reaches one process of each service
 * that listens.
 */
export type Delivery = 'broadcast' | 'one';

/** The contract of an event: its name in the past tense, its payload and its delivery. */
export interface EventContract<
  N extends string = string,
  P extends object = object,
  D extends Delivery = Delivery,
> {
  readonly name: N;
  readonly payload: z.ZodType<P>;
  readonly delivery: D;
}

/** The payload of an event, for a handler in a file of its own: `Ctx<PayloadOf<typeof userVerified>>`. */
export type PayloadOf<E> = E extends EventContract<string, infer P> ? P : never;

export const defineEvent = <const N extends string, P extends object, const D extends Delivery>(
  contract: EventContract<N, P, D>,
): EventContract<N, P, D> => contract;

/** A broker, or the context of a call or an event. */
export interface EventSource {
  broadcast(name: string, payload: object, options?: object): Promise<void>;
  emit(name: string, payload: object, options?: object): Promise<void>;
}

/** Emits an event. Outside production a payload that its contract does not allow is a `TypeError`. */
export async function emit<P extends object>(
  source: EventSource,
  event: EventContract<string, P>,
  payload: NoInfer<P>,
  options?: object,
): Promise<void> {
  if (isDevelopment) assertPayload(event, payload);
  await sendEvent(source, event, payload, options);
}

/** Sends an event whose payload was checked when the event was made. */
export function sendEvent(
  source: EventSource,
  { name, delivery }: Pick<EventContract, 'name' | 'delivery'>,
  payload: object,
  options?: object,
): Promise<void> {
  const send = delivery === 'broadcast' ? source.broadcast : source.emit;
  return send.call(source, name, payload, options);
}

/** Emits events from one source: for use cases, which know neither broker nor context. */
export type Emit = <P extends object>(
  event: EventContract<string, P>,
  payload: NoInfer<P>,
) => Promise<void>;

export const emitterOf =
  (source: EventSource): Emit =>
  (event, payload) =>
    emit(source, event, payload);

/** Throws a `TypeError` for a payload that the event's contract does not allow. */
export function assertPayload(event: EventContract, payload: unknown): void {
  const { error } = event.payload.safeParse(payload);
  if (error) throw new TypeError(`The payload of ${event.name} is not valid: ${error.message}`);
}

type Listener = NonNullable<ServiceSchema['events']>[string];

/** Makes the typed form of `on`, by which a service listens: `events: { ...on(userVerified, handler) }`. */
export function listenWith<Actions>() {
  return <P extends object>(
    event: EventContract<string, P>,
    handler: (this: Service, ctx: TypedContext<P, Actions>) => unknown,
  ): Record<string, Listener> => ({ [event.name]: handler as Listener });
}
