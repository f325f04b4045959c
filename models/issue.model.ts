import { actor } from './actor.ts';
import { changedFields, outboxIndex } from './changed-document.ts';
import { type DocumentOf, defineModel, field } from './define-model.ts';
import type { IssueStatus } from './issue-status.ts';

/** The failures of runs that an issue counts. The last lines of its description tell them. */
const failureFields = {
  count: field.number,
  /** The run that failed last, of those that are counted. */
  lastRunId: field.number,
  lastFailedAt: field.date,
  /** The flow of the runs. Absent in issues of earlier versions of the service. */
  flowId: field.optional(field.number),
};
export type IssueFailures = DocumentOf<typeof failureFields>;

const fields = {
  _id: field.number,
  workspaceId: field.number,
  title: field.string,
  description: field.string,
  status: field.stringOf<IssueStatus>(),
  assignedUserId: field.nullable(field.number),
  /** The caller who created the issue. No answer contains the reporter. */
  reporter: actor,
  /** The words that `q` searches, separate for each field. A change of the title rewrites only the title's words. */
  titleWords: field.list(field.string),
  descriptionWords: field.list(field.string),
  /** The hash by which a later run finds the issue that a run has raised. Absent in issues of other callers. */
  fingerprint: field.optional(field.string),
  /** Present in an issue that failures of runs have raised (`metadata.onFailure`). No answer contains it. */
  failures: field.optional(field.object(failureFields)),
  createdAt: field.date,
  ...changedFields,
};
export type IssueDocument = DocumentOf<typeof fields>;

export const IssueModel = defineModel({
  name: 'Issue',
  collection: 'issues',
  fields,
  indexes: [
    outboxIndex,
    [{ workspaceId: 1, _id: 1 }],
    [{ workspaceId: 1, status: 1, _id: 1 }],
    [{ workspaceId: 1, assignedUserId: 1, _id: 1 }],
    [{ workspaceId: 1, updatedAt: 1 }],
    [
      { workspaceId: 1, 'failures.flowId': 1, status: 1 },
      { partialFilterExpression: { 'failures.flowId': { $exists: true } } },
    ],
    [{ workspaceId: 1, titleWords: 1, _id: 1 }],
    [{ workspaceId: 1, descriptionWords: 1, _id: 1 }],
    [
      { workspaceId: 1, fingerprint: 1 },
      { unique: true, partialFilterExpression: { fingerprint: { $exists: true } } },
    ],
  ],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { rename: ['reporter'] },
  },
});
