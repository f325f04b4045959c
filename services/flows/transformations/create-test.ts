import { invalidField, noFlow } from '../../../contract/problem.ts';
import { environment } from '../../../environment/environment.ts';
import type { ChangeContext } from '../../../mixins/changes/change-context.ts';
import { createInSlot } from '../../../mixins/database/quota-slots.ts';
import {
  TEST_QUOTA_INDEX,
  TransformationTestModel,
} from '../../../models/transformation-test.model.ts';
import { chooseFreeSlot } from '../../../support/quota-slot.ts';
import type { Params } from '../../contracts.ts';
import type { TransformationTest } from '../contract/transformation-resources.ts';
import { tooManyTests } from '../flows.problems.ts';
import { flows, type StoredFlow } from '../flows.store.ts';
import { removeTest } from './remove-tests.ts';
import { showTest } from './show-test.ts';
import { type StoredTest, transformationTests } from './tests.store.ts';

/** Bytes of an input, and of an expected value, as JSON. A longer one is refused. */
const MAX_JSON_BYTES = 64 * 1024;

/** Saves a test. A flow that is deleted meanwhile has none. */
export async function createTest(
  { _id: flowId, workspaceId }: StoredFlow,
  { name, expression, ...values }: Params<'flows.createTransformationTest'>,
  change: ChangeContext,
): Promise<TransformationTest> {
  const input = jsonOf('input', values.input);
  const expected = jsonOf('expected', values.expected);
  const now = new Date();
  const made = { workspaceId, flowId, name, expression, input, expected };
  const wanted = { ...made, createdBy: change.actor, createdAt: now, updatedAt: now };
  const test = (await findEarlierAttempt(change)) ?? (await createWithinQuota(wanted, change));
  if (await flows.find(flowId)) return showTest(test);
  await removeTest(test);
  throw noFlow(flowId);
}

function jsonOf(field: string, value: unknown): string {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_JSON_BYTES) return json;
  const message = `must have at most ${MAX_JSON_BYTES} bytes of JSON, not ${bytes}`;
  throw invalidField(field, 'too_large', message);
}

/** The test that an attempt with the same `Idempotency-Key` has stored. The quota counts such a test once. */
const findEarlierAttempt = async ({ reservedId }: ChangeContext): Promise<StoredTest | null> =>
  reservedId === undefined ? null : transformationTests.find(reservedId);

async function createWithinQuota(
  test: Parameters<typeof transformationTests.create>[0],
  change: ChangeContext,
): Promise<StoredTest> {
  const { TRANSFORMATION_TESTS_PER_FLOW: quota } = environment;
  if (quota === null) return transformationTests.create(test, change);
  return createInSlot([TEST_QUOTA_INDEX], async () => {
    const quotaSlot = await findFreeSlot(test.flowId, quota);
    return transformationTests.create({ ...test, quotaSlot }, change);
  });
}

async function findFreeSlot(flowId: number, quota: number): Promise<number> {
  const holders = await TransformationTestModel.find(
    { flowId, quotaSlot: { $exists: true } },
    { quotaSlot: 1 },
  )
    .limit(quota)
    .lean();
  const slots = holders.map(({ quotaSlot }) => quotaSlot);
  return chooseFreeSlot(slots, quota, () => tooManyTests(quota));
}
