import type { CallingOptions, Middleware } from 'moleculer';

type BrokerCall = (name: string, params: unknown, opts?: CallingOptions) => Promise<unknown>;

/** Moleculer looks for the context of an answered call here, and finds none. */
const NO_CONTEXT: PropertyDescriptor = { get: () => undefined, set: () => undefined };

/**
 * Keeps the caller of each call apart. Moleculer hands a parent's meta to the calls it makes, which is
 * wanted, and merges the meta of an answered call back into its parent, which is not: a nested call as
 * `system` would leave its parent `system`. It takes that meta from the `ctx` that it puts on the
 * promise of a call, so the promise that leaves here takes none.
 */
export const Calls = {
  name: 'Calls',
  call(next: BrokerCall): BrokerCall {
    return (name, params, opts) => {
      const answer = next(name, params, opts).then((result) => result);
      return Object.defineProperty(answer, 'ctx', NO_CONTEXT);
    };
  },
} as unknown as Middleware;
