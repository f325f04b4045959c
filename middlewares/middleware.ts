import type { CallingOptions, Context, Middleware } from 'moleculer';
import type { Locals, Meta } from '../contract/contract-types.ts';

/** The context of an action before its handler. Its parameters are valid only within `Validation`. */
export type ActionContext = Context<Record<string, unknown>, Meta, Locals>;

/** The next middleware of an action, or its handler. */
export type Next = (ctx: ActionContext) => Promise<unknown>;

/** The next middleware of `broker.call`, or `broker.call` itself. */
export type BrokerCall = (
  name: string,
  params: unknown,
  options?: CallingOptions,
) => Promise<unknown>;

/**
 * Makes a middleware; a hook that Moleculer does not know does not compile. Moleculer types the hooks of all
 * middlewares alike, and ours know more of the context and the action: hence the one cast.
 */
export const defineMiddleware = (
  middleware: { name: string } & { [Hook in keyof Middleware]?: unknown },
): Middleware => middleware as unknown as Middleware;
