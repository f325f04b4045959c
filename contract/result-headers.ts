import type { z } from 'zod';

/** The rule by which an answer carries fields of the result in headers, so that its body is the resource alone. */
export interface ResultHeaders {
  /** The type of the body: the result without the fields. */
  body: z.ZodObject;
  /** The fields by their names. An answer lacks the header of a field that the result lacks. */
  fields: Readonly<Record<string, HeaderField>>;
}

export interface HeaderField {
  header: string;
  /** The type of the field in the result, and of the header's value. */
  type: z.ZodInt | z.ZodString | z.ZodBoolean;
  description: string;
}

interface SplitResult {
  headers: Record<string, string>;
  body: unknown;
}

/** Splits a result into the headers and the body of its answer. A result without a rule is the body. */
export function splitResult(rule: ResultHeaders | undefined, result: unknown): SplitResult {
  if (!rule) return { headers: {}, body: result };
  const entries = Object.entries(result as Readonly<Record<string, unknown>>);
  const headers = entries.flatMap(([name, value]) => {
    const field = fieldOf(rule, name);
    return field && value !== undefined ? [[field.header, String(value)]] : [];
  });
  return {
    headers: Object.fromEntries(headers),
    body: Object.fromEntries(entries.filter(([name]) => !fieldOf(rule, name))),
  };
}

const fieldOf = ({ fields }: ResultHeaders, name: string): HeaderField | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;
