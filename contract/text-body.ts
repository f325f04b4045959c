import { z } from 'zod';
import type { ActionContract } from './contract.ts';
import { Id, IdText } from './fields.ts';

/**
 * A second form of a request, beside JSON: the body is the text of one field of `body`, and the other fields are
 * parameters of the query. So a client sends a file as it is.
 */
export interface TextBodyRule {
  /** The field of `body` whose value is the text of the body, in UTF-8. */
  field: string;
  /** The media type by which the gateway knows the form. */
  mediaType: string;
}

/** The fields of `body` that are parameters of the query where the body is the text of another field. */
export function queryFieldsOf({
  body = {},
  textBody,
}: Pick<ActionContract, 'body' | 'textBody'>): [string, z.ZodType][] {
  if (!textBody) return [];
  return Object.entries(body as Record<string, z.ZodType>).filter(
    ([name]) => name !== textBody.field,
  );
}

/** The value of a body's field from the text of a query. A text that is no id stays, and is refused with its field. */
export const valueOfText = (type: z.ZodType, text: string): unknown =>
  isIdField(type) ? (IdText.safeParse(text).data ?? text) : text;

/** Whether the values of a field are ids. */
export const isIdField = (type: z.ZodType): boolean =>
  (type instanceof z.ZodOptional ? type.unwrap() : type) === Id;
