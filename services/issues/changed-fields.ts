import type { StoredIssue } from './issues.store.ts';
import { wordsOf } from './words.ts';

export type ChangedFields = Partial<
  Pick<StoredIssue, 'title' | 'description' | 'status' | 'assignedUserId'>
>;

/** The given fields that differ from the stored fields. */
export const changedFields = (
  issue: StoredIssue,
  given: { [K in keyof ChangedFields]: ChangedFields[K] | undefined },
) =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => value !== undefined && value !== issue[field as keyof StoredIssue],
    ),
  ) as ChangedFields;

/** The words of the changed texts, for the search. */
export const wordsIn = ({ title, description }: ChangedFields) => ({
  ...(title === undefined ? {} : { titleWords: wordsOf(title) }),
  ...(description === undefined ? {} : { descriptionWords: wordsOf(description) }),
});
