import type { Middleware } from 'moleculer';

/**
 * Makes a middleware; a hook that Moleculer does not know does not compile. Moleculer types the hooks of all
 * middlewares alike; ours say more of the context and the action that a hook gets, so that one cast is here.
 */
export const defineMiddleware = (
  middleware: { name: string } & { [Hook in keyof Middleware]?: unknown },
): Middleware => middleware as unknown as Middleware;
