import { Problem } from '../../../contract/problem.ts';
import type { Directory } from '../../../services/issues/assignee.ts';
import { updateIssue } from '../../../services/issues/update-issue.ts';
import { changeContext } from '../../helpers/change-context.ts';

const issue = {
  _id: 7,
  workspaceId: 3,
  title: 'Cogs',
  description: '',
  status: 'OPEN' as const,
  assignedUserId: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  revision: 1,
};
const stale = changeContext({ ifMatch: '"stale"' });
const path = { workspaceId: 3, issueId: 7 };

let asked: number[] = [];
const directory: Directory = {
  people: async () => new Map(),
  isMember: async (userId) => {
    asked.push(userId);
    return userId < 10;
  },
};
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => (error instanceof Problem ? error.type : error),
  );
beforeEach(() => {
  asked = [];
});

describe('an update with a stale If-Match', () => {
  it('is refused for a foreign assignee first', async () => {
    const update = updateIssue(issue, { ...path, assignedUserId: 11 }, stale, directory);
    expect(await failureOf(update)).toBe('INVALID_REQUEST');
  });

  it('is refused for the precondition where the body is right, and asks for nobody who stays', async () => {
    const update = (assignedUserId: number) =>
      failureOf(updateIssue(issue, { ...path, assignedUserId }, stale, directory));
    expect(await update(2)).toBe('PRECONDITION_FAILED');
    expect(await update(1)).toBe('PRECONDITION_FAILED');
    expect(asked).toEqual([2]);
  });
});
