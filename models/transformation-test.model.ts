import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';

/** The result of the latest run of a test. */
const lastResult = field.object({
  /** The newest version of the flow at that time; null in a flow without versions. */
  versionId: field.nullable(field.number),
  /** The number of that version, by which an older run overwrites no newer result. 0 without versions. */
  sequence: field.number,
  passed: field.boolean,
  /** The `TransformationDifference` as JSON; null for a passed test. */
  difference: field.nullable(field.string),
  at: field.date,
});

/** A run that a stored version has asked for, and that has not been carried out. */
const dueRun = field.object({
  versionId: field.number,
  sequence: field.number,
  /** The owner of the workspace, by whom due runs take turns. */
  owner: field.string,
  /** The time from which on a process may take the run; while a process has the run, the end of its lease. */
  at: field.date,
});

/** A saved test of an expression of a flow. Input and expected value are JSON texts. */
const fields = {
  _id: field.number,
  workspaceId: field.number,
  flowId: field.number,
  name: field.string,
  expression: field.string,
  input: field.string,
  expected: field.string,
  /** The number of the test among those of its flow, below the quota; absent without a quota. */
  quotaSlot: field.optional(field.number),
  lastResult: field.optional(lastResult),
  due: field.optional(dueRun),
  createdBy: actor,
  createdAt: field.date,
  ...changedFields,
};
export type TransformationTestDocument = DocumentOf<typeof fields>;

/** The name of the unique index by which at most one test of a flow holds a quota slot. */
export const TEST_QUOTA_INDEX = 'flow_quota_slot';

export const TransformationTestModel = defineModel({
  name: 'TransformationTest',
  collection: 'transformation_tests',
  fields,
  indexes: [
    outboxIndex,
    [{ flowId: 1, _id: 1 }],
    [{ workspaceId: 1 }],
    [
      { flowId: 1, quotaSlot: 1 },
      {
        name: TEST_QUOTA_INDEX,
        unique: true,
        partialFilterExpression: { quotaSlot: { $exists: true } },
      },
    ],
    // The due runs by owners, which take turns.
    [{ 'due.owner': 1, 'due.at': 1 }, { partialFilterExpression: { 'due.at': { $exists: true } } }],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['createdBy'] },
  },
});
