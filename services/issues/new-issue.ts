import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import type { New } from '../../mixins/changes/change-store.ts';
import type { IssueDocument } from '../../models/issue.model.ts';
import { wordsOf } from './words.ts';

type Fields = Pick<IssueDocument, 'workspaceId' | 'title' | 'description' | 'assignedUserId'>;

/** Makes an open issue that is not stored yet. The actor of the change is its reporter. */
export function newIssueOf(fields: Fields, change: ChangeContext): New<IssueDocument> {
  const now = new Date();
  return {
    ...fields,
    status: 'OPEN',
    reporter: change.actor,
    titleWords: wordsOf(fields.title),
    descriptionWords: wordsOf(fields.description),
    createdAt: now,
    updatedAt: now,
  };
}
