import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { AnyJson, Id, Name, Timestamp } from '../../../contract/fields.ts';

/** Characters of an expression. A longer expression is refused. */
const LONGEST_EXPRESSION = 16 * 1024;

export const TransformationExpression = z
  .string()
  .min(1)
  .max(LONGEST_EXPRESSION)
  .meta({ description: `JSONata, bare or in one enclosing \`\${ }\`` });

const place = z.int().positive().nullable();

export const TransformationError = z
  .strictObject({
    code: z.string().meta({ description: 'Stable, such as EXPRESSION_FAILED' }),
    message: z.string(),
    position: z.int().nonnegative().nullable().meta({
      description: 'Index in `expression`, in UTF-16 code units; null where the error has no place',
    }),
    line: place,
    column: place,
  })
  .meta({ id: 'TransformationError' });
export type TransformationError = z.output<typeof TransformationError>;

const jsonText = z
  .string()
  .nullable()
  .meta({ description: 'JSON, cut after 120 characters; null where there is no value' });

export const TransformationDifference = z
  .strictObject({
    error: TransformationError.nullable().meta({
      description: 'The error of the expression, which then has no paths',
    }),
    paths: z.array(
      z.strictObject({
        path: z.string().meta({ description: 'JSON pointer (RFC 6901)' }),
        expected: jsonText,
        actual: jsonText,
      }),
    ),
    more: z.boolean().meta({ description: 'Whether further paths differ' }),
  })
  .meta({ id: 'TransformationDifference' });
export type TransformationDifference = z.output<typeof TransformationDifference>;

export const TransformationResult = z
  .strictObject({
    versionId: Id.nullable().meta({
      description: 'The newest version of the flow at that time; null where there was none',
    }),
    passed: z.boolean(),
    difference: TransformationDifference.nullable().meta({ description: 'Null for a passed test' }),
    at: Timestamp,
  })
  .meta({ id: 'TransformationResult' });
export type TransformationResult = z.output<typeof TransformationResult>;

export const TransformationTest = z
  .strictObject({
    id: Id,
    flowId: Id,
    name: Name,
    expression: TransformationExpression,
    input: AnyJson,
    expected: AnyJson,
    lastResult: TransformationResult.nullable().meta({ description: 'Null until the first run' }),
    createdBy: ActorRecord,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'TransformationTest' });
export type TransformationTest = z.output<typeof TransformationTest>;

export const TestRun = z
  .strictObject({
    versionId: Id.nullable(),
    passed: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    results: z.array(
      z.strictObject({ id: Id, name: Name, lastResult: TransformationResult.nullable() }),
    ),
  })
  .meta({ id: 'TransformationTestRun' });
export type TestRun = z.output<typeof TestRun>;
