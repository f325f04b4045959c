import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { TransformationTestModel } from '../../../models/transformation-test.model.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import type { TransformationDifference } from '../contract/transformation-resources.ts';
import { differenceOf } from './difference.ts';
import type { StoredResult } from './show-test.ts';
import type { StoredTest } from './tests.store.ts';
import { transform } from './transformations.ts';

/** The version that a result names. In a flow without versions the id is null and the number 0. */
export interface TestedVersion {
  versionId: number | null;
  sequence: number;
}

export type TestToRun = Pick<StoredTest, '_id' | 'expression' | 'input' | 'expected'>;

/** Runs a test in its owner's turn and stores the result, unless the result of a newer version is there. */
export async function runTest(
  test: TestToRun,
  { versionId, sequence }: TestedVersion,
  share: Share,
): Promise<StoredResult> {
  const difference = await compare(test, share);
  const result = {
    versionId,
    sequence,
    passed: difference === null,
    difference: difference && JSON.stringify(difference),
    at: databaseClock.date(),
  };
  const isNotNewer = { 'lastResult.sequence': { $not: { $gt: sequence } } };
  const filter = { _id: test._id, removedAt: null, ...isNotNewer };
  await TransformationTestModel.collection.updateOne(filter as never, {
    $set: { lastResult: result },
  });
  return result;
}

async function compare(test: TestToRun, share: Share): Promise<TransformationDifference | null> {
  const { expression } = test;
  const transformed = await transform(share, { expression, input: JSON.parse(test.input) });
  if (transformed.error) return { error: transformed.error, paths: [], more: false };
  return differenceOf(JSON.parse(test.expected), transformed.output);
}
