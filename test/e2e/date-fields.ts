import type { z } from 'zod';
import { type ActionContract, PLACES, type Place } from '../../contract/contract.ts';
import { type JsonSchema, Schemas } from '../../contract/json-schemas.ts';
import { type Operation, operations } from './permissions-matrix.ts';

/** A field or parameter of an operation that is a time. */
export interface DateField {
  operation: Operation;
  place: Place;
  name: string;
  type: z.ZodType;
}

const isDateTime = (schema: JsonSchema): boolean => schema.format === 'date-time';

/** The schemas in a schema of JSON, itself and those of its definitions included. */
function partsOf(schema: unknown): JsonSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return [schema as JsonSchema, ...Object.values(schema).flatMap(partsOf)];
}

function schemasOf(type: z.ZodType): JsonSchema[] {
  const schemas = new Schemas('#/');
  return partsOf([schemas.of(type, 'input'), schemas.components]);
}

const fieldsOf = (contract: ActionContract, place: Place): [string, z.ZodType][] =>
  Object.entries(contract[place] ?? {}).map(([name, type]) => [name, type as z.ZodType]);

/** Every field and parameter of every operation that is a time, by its type. */
export const dateFields: DateField[] = operations.flatMap((operation) =>
  PLACES.flatMap((place) =>
    fieldsOf(operation.contract, place)
      .filter(([, type]) => schemasOf(type).some(isDateTime))
      .map(([name, type]) => ({ operation, place, name, type })),
  ),
);
