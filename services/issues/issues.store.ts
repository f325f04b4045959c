import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import { type IssueDocument, IssueModel } from '../../models/issue.model.ts';
import { issueOutgoing } from './issue-snapshot.ts';
import { noIssue } from './issues.problems.ts';

/** Characters of a description. Beyond it the issue is inserted alone, because each word is an entry of an index. */
const LARGE_DESCRIPTION = 2_000;
/** The fields that reads omit. Answers do not contain them, and a long description has many words. */
const HIDDEN = ['titleWords', 'descriptionWords', 'reporter', 'fingerprint'] as const;

/** An issue as reads show it. */
export type StoredIssue = Shown<IssueDocument, (typeof HIDDEN)[number]>;

export const issues = changesOf(IssueModel, {
  hidden: HIDDEN,
  missing: noIssue,
  outgoing: issueOutgoing,
  isLarge: ({ description }) => description.length > LARGE_DESCRIPTION,
});

/** Whether the issue still has work to be done. */
export const isOpen = ({ status }: Pick<StoredIssue, 'status'>): boolean =>
  status === 'OPEN' || status === 'IN_PROGRESS';
