import type { z } from 'zod';
import { type ActionContract, placeOf } from '../../contract/contract.ts';
import { IdText } from '../../contract/fields.ts';
import { type FieldFault, invalidRequest } from '../../contract/problem.ts';
import { idFault, missingField } from '../../contract/zod-faults.ts';
import type { ActionContext } from '../middleware.ts';

/** A parameter of the path or the query that is an id. */
interface IdParameter {
  place: FieldFault['in'];
  name: string;
  type: z.ZodType;
}

export const idParametersOf = (contract: ActionContract): IdParameter[] =>
  (['path', 'query'] as const).flatMap((place) =>
    Object.entries(contract[place] ?? {})
      .map(([name, type]) => ({ place, name, type: type as z.ZodType }))
      .filter(({ type }) => isIdType(type)),
  );

const isIdType = (type: z.ZodType): boolean =>
  type === IdText || ('unwrap' in type && (type as z.ZodOptional<z.ZodType>).unwrap() === IdText);

/** Refuses parameters that are no ids, before any resource is looked up by them. A fault of the gateway has precedence. */
export function assertIds(
  ids: readonly IdParameter[],
  { params, meta }: Pick<ActionContext, 'params' | 'meta'>,
): void {
  const faults = ids.flatMap(({ place, name, type }): FieldFault[] => {
    const parsed = type.safeParse(params[name]);
    if (parsed.success) return [];
    const told = meta.faults?.find((fault) => fault.in === place && fault.path === name);
    if (told) return [told];
    const isMissing = params[name] === undefined;
    return [isMissing ? missingField(place, name) : idFault(place, name)];
  });
  if (faults.length) throw invalidRequest(faults);
}

/** The id in a parameter; undefined when the parameter is absent or has a fault. */
export function idIn(
  parameter: string,
  contract: ActionContract,
  ctx: ActionContext,
): number | undefined {
  const id = valueIn(parameter, contract, ctx);
  return typeof id === 'number' ? id : undefined;
}

/** The text in a parameter; undefined when the parameter is absent or has a fault. */
export function textIn(
  parameter: string,
  contract: ActionContract,
  ctx: ActionContext,
): string | undefined {
  const text = valueIn(parameter, contract, ctx);
  return typeof text === 'string' ? text : undefined;
}

function valueIn(parameter: string, contract: ActionContract, ctx: ActionContext): unknown {
  const place = placeOf(contract, parameter);
  if (ctx.meta.faults?.some((fault) => fault.in === place && fault.path === parameter)) {
    return undefined;
  }
  const { path, query, body } = contract;
  const type = body?.[parameter] ?? query?.[parameter] ?? path?.[parameter];
  const parsed = (type as z.ZodType).safeParse(ctx.params[parameter]);
  return parsed.success ? parsed.data : undefined;
}
