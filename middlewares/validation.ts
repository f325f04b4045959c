import type { z } from 'zod';
import { type ActionContract, paramsOf, placeOf } from '../contract/contract.ts';
import type { ContractedAction } from '../contract/contract-types.ts';
import { type FieldFault, invalidRequest } from '../contract/problem.ts';
import { codeOf, installZodMessages } from '../contract/zod-messages.ts';
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
        ...(parsed.success ? [] : faultsOf(contract, parsed.error, ctx.params)),
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
  delete meta.faults;
  delete meta.ifMatch;
  delete meta.reservedId;
}

/** The fault of a field that the request may not have. */
export const unknownField = (place: FieldFault['in'], path: string): FieldFault => ({
  in: place,
  path,
  code: 'unknown_field',
  message: 'is not a field of this request',
});

/** The faults of the parameters, with their places in the request. */
function faultsOf(contract: ActionContract, error: z.ZodError, params: unknown): FieldFault[] {
  return error.issues.flatMap((issue): FieldFault[] => {
    const place = placeOf(contract, String(issue.path[0] ?? ''));
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownField(place, [...issue.path, key].join('.')));
    }
    if (isMissing(params, issue.path)) {
      return [{ in: place, path, code: 'required', message: 'is required' }];
    }
    return [{ in: place, path, code: codeOf(issue), message: issue.message }];
  });
}

function isMissing(params: unknown, path: PropertyKey[]): boolean {
  let value = params;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}

/** The first fault of each field. */
function oneEach(faults: readonly FieldFault[]): FieldFault[] {
  const seen = new Map<string, FieldFault>();
  for (const fault of faults) {
    const key = `${fault.in} ${fault.path}`;
    if (!seen.has(key)) seen.set(key, fault);
  }
  return [...seen.values()];
}
