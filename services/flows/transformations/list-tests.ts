import { ascendingBy } from '../../../contract/page-order.ts';
import type { Position } from '../../../contract/page-position.ts';
import type { Page } from '../../../contract/pages.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { TransformationTestModel } from '../../../models/transformation-test.model.ts';
import type { TransformationTest } from '../contract/transformation-resources.ts';
import { showTest } from './show-test.ts';
import { type StoredTest, transformationTests } from './tests.store.ts';

/** The tests of a flow, by id. */
export function listTests(flowId: number, position: Position): Promise<Page<TransformationTest>> {
  const order = ascendingBy('_id');
  const { projection } = transformationTests;
  return readPage(
    TransformationTestModel,
    { filter: { flowId }, order, position, projection, bytesOf },
    showTest,
  );
}

const bytesOf = ({ expression, input, expected }: StoredTest): number =>
  expression.length + input.length + expected.length;
