import type { z } from 'zod';
import {
  type ActionContract,
  isRequired,
  type Place,
  type Shape,
} from '../../../contract/contract.ts';
import { hasEtag, takesIfMatch } from '../../../contract/etag-rule.ts';
import { IdText } from '../../../contract/fields.ts';
import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import type { JsonSchema, Schemas } from '../../../contract/json-schemas.ts';
import { RANGE_PARAMETERS } from './files.ts';
import { idDescription } from './id-description.ts';
import { textFormParameters } from './text-form.ts';

/** The parameters of an operation: those of its contract, and the headers that the gateway handles itself. */
export function parametersOf(contract: ActionContract, schemas: Schemas): JsonSchema[] {
  const own = (['path', 'query', 'header'] as const).flatMap((place) =>
    Object.entries(withoutCredentials(contract[place] ?? {})).map(([name, type]) =>
      parameterOf(contract, place, [name, type as z.ZodType], schemas),
    ),
  );
  return [...own, ...textFormParameters(contract, schemas), ...conditionsOf(contract)];
}

/** The header `Authorization` is no parameter in OpenAPI: the security schemes name it. */
const withoutCredentials = ({ authorization: _, ...others }: Shape): Shape => others;

function parameterOf(
  contract: ActionContract,
  place: Place,
  [name, type]: [string, z.ZodType],
  schemas: Schemas,
): JsonSchema {
  const { description, examples, ...schema } = schemas.of(type, 'input');
  const required = place === 'path' || isRequired(type);
  const example =
    contract.example?.parameters?.[name] ?? (required ? firstOf(type, examples) : undefined);
  return {
    name,
    in: place,
    required,
    description: description ?? ofComponent(schema, schemas) ?? idDescription(name, contract),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

/** The description of a named type. */
const ofComponent = ({ $ref }: JsonSchema, { components }: Schemas): unknown =>
  components[String($ref).split('/').at(-1) ?? '']?.description;

/** The value that a new service has for a required parameter: its first resource of a kind has the id 1. */
const firstOf = (type: z.ZodType, examples: unknown): unknown =>
  Array.isArray(examples) ? examples[0] : type === IdText ? 1 : undefined;

/** The parameters of the request headers that the gateway handles itself. */
function conditionsOf(contract: ActionContract): JsonSchema[] {
  const isRead = contract.route?.startsWith('GET ') ?? false;
  return [
    ...(isRead && hasEtag(contract) ? [IF_NONE_MATCH] : []),
    ...(takesIfMatch(contract) ? [IF_MATCH] : []),
    ...(contract.format === 'file' ? RANGE_PARAMETERS : []),
    ...(takesIdempotencyKey(contract) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
}

const IF_NONE_MATCH = { $ref: '#/components/parameters/IfNoneMatch' };
const IF_MATCH = { $ref: '#/components/parameters/IfMatch' };

const headerOf = (name: string, description: string, schema: JsonSchema = {}): JsonSchema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
});

/** The parameters that operations share, as components of the document. */
export const PARAMETERS: JsonSchema = {
  IfNoneMatch: headerOf('If-None-Match', 'ETags; 304 where one is that of the answer'),
  IfMatch: headerOf(
    'If-Match',
    'ETags; 412, and nothing changes, where none is that of the resource',
  ),
  IdempotencyKey: headerOf(
    'Idempotency-Key',
    'The same request with the same key gets the same answer for 24 h, and is carried out once. A 400 ' +
      'leaves the key for the corrected request',
    { minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  ),
};
