import { type EventPublisher, pendingEntriesFinder } from '../outgoing-events/publish-events.ts';
import { assigneesOf, type Directory } from './assignee.ts';
import { IssueSnapshot } from './issue-snapshot.ts';
import { issues } from './issues.store.ts';
import { showIssueWith } from './show-issue.ts';

const ACTION = 'issues.publishEvents';

/** Publishes the events of issues. An event shows the issue as it was then, with the present name of its assignee. */
export const issueEvents = (directory: Directory): EventPublisher => ({
  service: 'issues',
  action: ACTION,
  findPending: pendingEntriesFinder(issues.collection, ACTION),
  resourceOf: ({ documentId: id }) => ({ type: 'issue', id }),
  async render(entries) {
    const shown = entries.map(({ snapshot }) => IssueSnapshot.parse(snapshot));
    return shown.map(showIssueWith(await assigneesOf(shown, directory)));
  },
});
