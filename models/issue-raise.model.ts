import { type DocumentOf, defineModel, field } from './define-model.ts';

/** An issue that an effect or a failure of a run has raised or updated. A repeat of the raise changes nothing. */
const fields = {
  /** The hash of the effect's key, or of the failed run. */
  _id: field.string,
  workspaceId: field.number,
  issueId: field.number,
  /** The creation of the issue. */
  issueCreatedAt: field.date,
  raisedAt: field.date,
  /** The time from which the database may delete the document: nothing repeats the raise after it. */
  expiresAt: field.date,
};
export type IssueRaiseDocument = DocumentOf<typeof fields>;

export const IssueRaiseModel = defineModel({
  name: 'IssueRaise',
  collection: 'issue_raises',
  fields,
  indexes: [[{ expiresAt: 1 }, { expireAfterSeconds: 0 }], [{ workspaceId: 1 }]],
  lifecycle: {
    workspace: { remove: 'workspaceId' },
    person: { keep: 'raises of runs name no person' },
  },
});
