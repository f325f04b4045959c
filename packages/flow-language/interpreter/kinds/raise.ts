import type { Json, RaiseTask, Template } from '../../plan.ts';
import type { Execution } from '../execution.ts';
import type { Value } from '../host.ts';
import { FlowError, flowError } from '../problem.ts';

/** Characters of the `type` of a raised error. A longer type is refused as `EXPRESSION_FAILED`. */
const MAX_TYPE = 2048;

/** Throws the error that the author describes. */
export async function raiseError(execution: Execution<RaiseTask>): Promise<never> {
  const { task, input, frame, evaluation } = execution;
  const { type, status, title, detail } = task.error;
  const entries: [string, Template][] = [['type', type]];
  if (title) entries.push(['title', title]);
  if (detail) entries.push(['detail', detail]);
  const fields = (await evaluation.value({ kind: 'map', entries }, input, frame)) as Record<
    string,
    Json
  >;
  throw new FlowError({
    type: checkType(fields.type),
    status,
    title: textOf(fields.title),
    detail: textOf(fields.detail),
  });
}

function checkType(type: Value): string {
  if (typeof type === 'string' && type.length <= MAX_TYPE && isHttps(type)) return type;
  const detail = `the type of a raised error must be an absolute https:// URI of at most ${MAX_TYPE} characters`;
  throw flowError('expression', 'EXPRESSION_FAILED', detail);
}

const isHttps = (text: string): boolean => text.startsWith('https://') && URL.canParse(text);

function textOf(value: Value): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
