import type { TransformationTestDocument } from '../../../models/transformation-test.model.ts';
import type {
  TransformationResult,
  TransformationTest,
} from '../contract/transformation-resources.ts';
import type { StoredTest } from './tests.store.ts';

export const showTest = (test: StoredTest): TransformationTest => ({
  id: test._id,
  flowId: test.flowId,
  name: test.name,
  expression: test.expression,
  input: JSON.parse(test.input),
  expected: JSON.parse(test.expected),
  lastResult: test.lastResult ? showResult(test.lastResult) : null,
  createdBy: test.createdBy,
  createdAt: test.createdAt.toISOString(),
  updatedAt: test.updatedAt.toISOString(),
});

export type StoredResult = NonNullable<TransformationTestDocument['lastResult']>;

export const showResult = ({
  versionId,
  passed,
  difference,
  at,
}: StoredResult): TransformationResult => ({
  versionId,
  passed,
  difference: difference === null ? null : JSON.parse(difference),
  at: at.toISOString(),
});
