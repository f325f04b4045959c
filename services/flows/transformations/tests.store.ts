import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import {
  type TransformationTestDocument,
  TransformationTestModel,
} from '../../../models/transformation-test.model.ts';
import { noTest } from '../flows.problems.ts';

/** A test as reads return it. */
export type StoredTest = Shown<TransformationTestDocument, 'quotaSlot' | 'due'>;

/**
 * The store of all changes of transformation tests. Results and due runs are written directly (`run-test.ts`, `due-tests.ts`),
 * because they do not change the test.
 */
export const transformationTests = changesOf(TransformationTestModel, {
  hidden: ['quotaSlot', 'due'],
  missing: noTest,
});
