import { randomUUID } from 'node:crypto';
import {
  EvaluationError,
  type JobContext,
  type Json,
  Lines,
  MAX_OUTPUT_BYTES,
  type Sandbox,
} from '@workspace-automation/flow-language';
import {
  queueExpression,
  limitsOfRequests,
} from '../../../support/fair-shares/file-check-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import type { TransformationError } from '../contract/transformation-resources.ts';
import { tooManyExpressions } from '../flows.problems.ts';

/** An expression, as JSONata or in one enclosing `${ }`, with the value of `$` and the variables by name without `$`. */
export interface Transformation {
  expression: string;
  input: Json;
  variables?: Readonly<Record<string, Json>> | undefined;
}

/** The value of an expression, absent where it has none, or its error. */
export type Transformed =
  | { output?: Json; durationMs: number; error?: undefined }
  | { error: TransformationError };

const EXPRESSIONS = limitsOfRequests(tooManyExpressions);

/**
 * Evaluates an expression in its owner's turn. `$input` is the input unless the variables have another value. Throws
 * 429 when too many expressions wait.
 */
export async function transform(
  share: Share,
  transformation: Transformation,
): Promise<Transformed> {
  try {
    return await queueExpression(share, EXPRESSIONS, (sandbox, context) =>
      evaluate(sandbox, transformation, context),
    );
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    const { code, message, position } = error;
    return { error: errorAt(transformation.expression, { code, message, position }) };
  }
}

async function evaluate(
  sandbox: Sandbox,
  { expression: text, input, variables: given }: Transformation,
  context: JobContext,
): Promise<Transformed> {
  const variables = { input, ...given };
  const analysis = await sandbox.analyse(text, Object.keys(variables), context);
  if ('fault' in analysis) return { error: errorAt(text, analysis.fault) };
  const { expression, from } = analysis;
  const began = performance.now();
  const scope = { input, variables, now: Date.now(), seed: randomUUID() };
  const output = await sandbox
    .evaluate({ template: { kind: 'expression', expression }, ...scope, ...context })
    .catch((error: unknown) => {
      throw inWholeText(error, from);
    });
  const durationMs = Math.round(performance.now() - began);
  if (output === undefined) return { durationMs };
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return { output, durationMs };
  const message = `the output has ${bytes} bytes, more than ${MAX_OUTPUT_BYTES}`;
  return { error: errorAt(text, { code: 'OUTPUT_TOO_LARGE', message, position: null }) };
}

/** Moves the position of a failure from the bare expression to the text that was given. */
function inWholeText(error: unknown, from: number): unknown {
  if (!(error instanceof EvaluationError) || error.position === null) return error;
  const { code, message, reason, position } = error;
  return new EvaluationError(code, message, { reason, position: from + position });
}

function errorAt(
  text: string,
  { code, message, position }: Pick<TransformationError, 'code' | 'message' | 'position'>,
): TransformationError {
  if (position === null) return { code, message, position, line: null, column: null };
  return { code, message, position, ...new Lines(text).at(position) };
}
