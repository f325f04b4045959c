import { isProblem, NotFound } from '../../../contract/problem.ts';
import { type ChangeContext, systemChange } from '../../../mixins/changes/change-context.ts';
import { TransformationTestModel } from '../../../models/transformation-test.model.ts';
import { type StoredTest, transformationTests } from './tests.store.ts';

const REMOVAL = systemChange('flows', 'flows.removeParts', {
  none: 'the entry of the deletion of the flow says it',
});

/** Tests that are read at once; further tests take another batch. */
const BATCH_SIZE = 100;

export async function removeTestOf(test: StoredTest, change: ChangeContext): Promise<null> {
  await transformationTests.remove(test, change);
  return null;
}

/** Removes a test with its flow. The entries of its outbox are carried on. */
export const removeTest = (test: StoredTest): Promise<void> =>
  transformationTests.remove(test, REMOVAL).catch((error: unknown) => {
    if (!isProblem(error, NotFound)) throw error; // the test is gone already
  });

/** Removes the tests of a deleted flow. */
export async function removeTestsOf(flowId: number): Promise<void> {
  for (;;) {
    const tests = await TransformationTestModel.find({ flowId }, transformationTests.projection)
      .limit(BATCH_SIZE)
      .lean<StoredTest[]>();
    for (const test of tests) await removeTest(test);
    if (tests.length < BATCH_SIZE) return;
  }
}
