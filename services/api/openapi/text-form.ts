import type { z } from 'zod';
import { type ActionContract, isRequired } from '../../../contract/contract.ts';
import type { JsonSchema, Schemas } from '../../../contract/json-schemas.ts';
import { queryFieldsOf } from '../../../contract/text-body.ts';

/**
 * The parameters of the query that are fields of the body in JSON. None is `required`, because a request with JSON has
 * none of them; the description says so of those that the other form needs.
 */
export const textFormParameters = (contract: ActionContract, schemas: Schemas): JsonSchema[] =>
  queryFieldsOf(contract).map(([name, type]) => ({
    name,
    in: 'query',
    required: false,
    description: descriptionOf(type, contract.textBody?.mediaType ?? ''),
    schema: schemas.of(type, 'input'),
  }));

const descriptionOf = (type: z.ZodType, mediaType: string): string => {
  const use = `With \`${mediaType}\` only${isRequired(type) ? ', and needed there' : ''}`;
  return `${use}; in JSON a field of the body`;
};

/** The body that is the text of one field, with the field's example. */
export function textContentOf(
  { textBody, body = {}, example }: ActionContract,
  schemas: Schemas,
): Record<string, JsonSchema> {
  if (!textBody) return {};
  const { field, mediaType } = textBody;
  const shown = (example?.body as Record<string, unknown> | undefined)?.[field];
  const schema = schemas.of(body[field] as z.ZodType, 'input');
  return { [mediaType]: { schema, ...(shown === undefined ? {} : { example: shown }) } };
}
