import type { CallingOptions } from 'moleculer';
import type { ContractedAction, Meta } from '../contract/contract-types.ts';
import { type FieldFault, InvalidRequest, isProblem, type Problem } from '../contract/problem.ts';
import { type BrokerCall, defineMiddleware } from './middleware.ts';

/** The property `ctx` of the promise of a call. Moleculer reads the context of the answered call there and finds none. */
const NO_CONTEXT: PropertyDescriptor = { get: () => undefined, set: () => undefined };

/**
 * The error of a call with invalid parameters that one service made to another. The calling service answers its
 * own caller with 500, unless the service passes the faults on: `throw invalidRequest(error.faults)`.
 */
export class InvalidInternalCall extends Error {
  readonly faults: readonly FieldFault[];

  constructor(name: string, cause: Problem) {
    super(`${name} does not take what it was asked for: ${cause.message}`, { cause });
    this.name = 'InvalidInternalCall';
    this.faults = cause.data.errors ?? [];
  }
}

/**
 * Keeps the callers of calls apart. Moleculer merges the meta of an answered call into the meta of its parent, so
 * that a nested call as `system` would make its parent `system`. Moleculer reads that meta from the property `ctx`
 * of the promise, which is always empty here. A 400 of a nested call becomes an `InvalidInternalCall`.
 */
export const CallerPropagation = defineMiddleware({
  name: 'CallerPropagation',
  call(next: BrokerCall): BrokerCall {
    return (name, params, opts) => {
      const answer = next(name, params, opts).then(
        (result) => result,
        (error: unknown) => {
          const isWrong = isProblem(error, InvalidRequest);
          throw isWrong && isOfService(opts) ? new InvalidInternalCall(name, error) : error;
        },
      );
      return Object.defineProperty(answer, 'ctx', NO_CONTEXT);
    };
  },
});

/** Whether a service makes the call, in its own name or within one of its actions. The gateway is no such service. */
function isOfService({ meta, parentCtx }: CallingOptions = {}): boolean {
  if ((meta as Meta | undefined)?.caller?.kind === 'system') return true;
  return (parentCtx?.action as ContractedAction | undefined)?.contract !== undefined;
}
