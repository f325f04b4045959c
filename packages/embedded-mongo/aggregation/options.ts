import type { Document } from '../bson/values.ts';
import { type CodeName, fail } from '../errors.ts';

/** Refuses fields that a stage's specification does not allow. */
export function allowOnly(
  spec: Document,
  allowed: readonly string[],
  code: CodeName | number,
  stage: string,
): void {
  for (const option of spec.keys())
    if (!allowed.includes(option)) fail(code, `unrecognized option to ${stage}: ${option}`);
}
