import { TransformationTestModel } from '../../../models/transformation-test.model.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import type { TestRun } from '../contract/transformation-resources.ts';
import type { StoredFlow } from '../flows.store.ts';
import { runTest } from './run-test.ts';
import { showResult } from './show-test.ts';
import { type StoredTest, transformationTests } from './tests.store.ts';

/** Results of one answer, which must fit one message. The list of the tests shows further results. */
const MAX_RESULTS = 50;

/** Runs the tests of a flow one after another. */
export async function runTests(
  { _id: flowId, workspaceId, versionId, sequence }: StoredFlow,
  owners: Pick<ShareOwners, 'ofWorkspace'>,
): Promise<TestRun> {
  const share = await owners.ofWorkspace(workspaceId);
  const run: TestRun = { versionId, passed: 0, failed: 0, results: [] };
  for await (const test of testsOf(flowId)) {
    const lastResult = showResult(await runTest(test, { versionId, sequence }, share));
    run[lastResult.passed ? 'passed' : 'failed']++;
    const { _id: id, name } = test;
    if (run.results.length < MAX_RESULTS) run.results.push({ id, name, lastResult });
  }
  return run;
}

/** Reads one test after another: each has up to 144 KiB. */
async function* testsOf(flowId: number): AsyncGenerator<StoredTest> {
  for (let after = 0; ; ) {
    const filter = { flowId, _id: { $gt: after } };
    const test = await TransformationTestModel.findOne(filter, transformationTests.projection)
      .sort({ _id: 1 })
      .lean<StoredTest>();
    if (!test) return;
    after = test._id;
    yield test;
  }
}
