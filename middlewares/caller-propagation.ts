import { type CallingOptions, Errors } from 'moleculer';
import type { ContractedAction, Meta } from '../contract/contract-types.ts';
import { type FieldFault, InvalidRequest } from '../contract/problem.ts';
import { type BrokerCall, defineMiddleware } from './middleware.ts';

/** Moleculer looks for the context of an answered call here, and finds none. */
const NO_CONTEXT: PropertyDescriptor = { get: () => undefined, set: () => undefined };

/**
 * A service was asked by another for what it does not take. That is no fault of who asked the other: it
 * leaves there as a 500, with this in the log. Who means to pass the faults on says so:
 * `throw invalidRequest(error.faults)`.
 */
export class InvalidInternalCall extends Error {
  readonly faults: readonly FieldFault[];

  constructor(name: string, cause: Errors.MoleculerError) {
    super(`${name} does not take what it was asked for: ${cause.message}`, { cause });
    this.name = 'InvalidInternalCall';
    this.faults = (cause.data as { errors?: FieldFault[] } | undefined)?.errors ?? [];
  }
}

/**
 * Keeps the caller of each call apart. Moleculer hands a parent's meta to the calls it makes, which is
 * wanted, and merges the meta of an answered call back into its parent, which is not: a nested call as
 * `system` would leave its parent `system`. It takes that meta from the `ctx` that it puts on the
 * promise of a call, so the promise that leaves here takes none. A 400 that a service gets is kept apart
 * as well: `InvalidInternalCall`.
 */
export const CallerPropagation = defineMiddleware({
  name: 'CallerPropagation',
  call(next: BrokerCall): BrokerCall {
    return (name, params, opts) => {
      const answer = next(name, params, opts).then(
        (result) => result,
        (error: unknown) => {
          const wrong =
            error instanceof Errors.MoleculerError && error.type === InvalidRequest.code;
          throw wrong && isOfService(opts) ? new InvalidInternalCall(name, error) : error;
        },
      );
      return Object.defineProperty(answer, 'ctx', NO_CONTEXT);
    };
  },
});

/** Whether a service makes the call, of its own or within one of its actions; the gateway's entry is none. */
function isOfService({ meta, parentCtx }: CallingOptions = {}): boolean {
  if ((meta as Meta | undefined)?.caller?.kind === 'system') return true;
  return (parentCtx?.action as ContractedAction | undefined)?.contract !== undefined;
}
