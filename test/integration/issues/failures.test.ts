import { IssueModel } from '../../../models/issue.model.ts';
import { IssueRaiseModel } from '../../../models/issue-raise.model.ts';
import type { WorkspaceDirectory } from '../../../services/issues/assignee.ts';
import { raiseForFailures } from '../../../services/issues/failures/raise-for-failures.ts';
import { commandsOf } from '../../helpers/captured-commands.ts';
import { carry, directory, OUTBOXES, remove, update, useIssues } from './fixtures.ts';

useIssues();

const failure = (runId: number, fields: object = {}) => ({
  id: `entry ${runId}`,
  at: new Date(runId * 1_000).toISOString(),
  workspaceId: 1,
  runId,
  title: 'orders failed: HTTP_STATUS',
  description: `Text of run ${runId}`,
  assignedUserId: null,
  fingerprint: 'orders',
  ...fields,
});
type Failure = ReturnType<typeof failure>;
const fail = (...entries: Failure[]) => raiseForFailures({ entries }, directory);
const failuresOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => failure(from + n));
const all = () => IssueModel.find({ removedAt: null }).sort({ _id: 1 }).lean();
const one = async () => {
  const [issue, ...more] = await all();
  if (!issue || more.length) throw new Error('there is not one issue');
  return issue;
};
const lines = (count: number, runId: number) =>
  `\n\nFailed ${count} ${count === 1 ? 'time' : 'times'}\nLast run: http://127.0.0.1:3000/flows/runs/${runId}`;

const edit = async (fields: object) => update((await one())._id, fields);

test('failures with one fingerprint have one issue, which tells how often and which run was last', async () => {
  await fail(failure(1), failure(2), failure(3, { fingerprint: 'other' }));
  await fail(failure(4));
  expect(await all()).toMatchObject([
    {
      description: `Text of run 1${lines(3, 4)}`,
      revision: 2,
      reporter: { type: 'run', id: 2 },
      descriptionWords: expect.arrayContaining(['failed', '3', 'times', '4']),
    },
    { description: `Text of run 3${lines(1, 3)}`, revision: 1 },
  ]);
});

test.each(OUTBOXES)(
  'a failure that %s counts once, however it is delivered again',
  async (_, deliver) => {
    await fail(...failuresOf(1, 5));
    await deliver();
    await fail(...failuresOf(3, 8));
    await deliver();
    await edit({ status: 'CLOSED' });
    await fail(...failuresOf(1, 8));
    expect(await one()).toMatchObject({
      description: `Text of run 1${lines(8, 8)}`,
      status: 'CLOSED',
    });
  },
);

test('an earlier failure that is delivered later counts, and leaves the last run', async () => {
  await fail(failure(7));
  await fail(failure(3));
  expect((await one()).description).toBe(`Text of run 7${lines(2, 7)}`);
});

describe('the issue', () => {
  test.each(['RESOLVED', 'CLOSED'])('is opened again when it was %s', async (status) => {
    await fail(failure(1, { assignedUserId: 5 }));
    await edit({ status, assignedUserId: null });
    await fail(failure(2, { assignedUserId: 5 }));
    expect(await one()).toMatchObject({ status: 'OPEN', assignedUserId: 5 });
  });

  test('keeps its assignee, and stays in progress', async () => {
    await fail(failure(1, { assignedUserId: 5 }));
    await edit({ status: 'IN_PROGRESS' });
    await IssueModel.updateOne({}, { assignedUserId: 6 });
    await fail(failure(2, { assignedUserId: 5 }));
    expect(await one()).toMatchObject({
      status: 'IN_PROGRESS',
      assignedUserId: 6,
      description: `Text of run 1${lines(2, 2)}`,
    });
  });

  test('keeps the title and the text of a person', async () => {
    await fail(failure(1));
    await edit({ title: 'Ours', description: 'We look at it.' });
    expect((await one()).description).toBe('We look at it.');
    await fail(failure(2));
    expect(await one()).toMatchObject({
      title: 'Ours',
      description: `We look at it.${lines(2, 2)}`,
    });
  });

  test('keeps its count when a person writes an old text back', async () => {
    await fail(failure(1));
    const { description } = await one();
    await fail(failure(2));
    await edit({ description: description.replace('Text', 'Better text') });
    expect((await one()).description).toBe(`Better text of run 1${lines(2, 2)}`);
  });

  test('that was deleted comes back for new failures only', async () => {
    await fail(failure(1), failure(2));
    await carry();
    await remove((await one())._id);
    await fail(failure(1), failure(2));
    expect(await all()).toEqual([]);
    await fail(failure(2), failure(3));
    expect((await one()).description).toBe(`Text of run 3${lines(1, 3)}`);
  });

  test('of a flow without workspace is not raised, and a person who has left is not assigned', async () => {
    await fail(failure(1, { workspaceId: 9 }));
    expect(await all()).toEqual([]);
    await fail(failure(2, { assignedUserId: 6 }));
    expect(await one()).toMatchObject({ assignedUserId: null });
  });
});

describe('many failures', () => {
  test('of one delivery are one change of each issue, with one audit entry that names what changed', async () => {
    await fail(failure(1));
    await carry();
    const commands = await commandsOf(() => fail(...failuresOf(1, 200)));
    expect(commands).toEqual(['find', 'find', 'find', 'findAndModify']);
    const { outbox = [], revision } = await one();
    expect(revision).toBe(2);
    expect(outbox).toMatchObject([
      {
        call: 'workspaces.recordAudit',
        params: {
          actor: { type: 'run', id: 200 },
          operation: 'issues.raise',
          changed: ['description'],
        },
      },
      { call: 'issues.recordFailures' },
      { call: 'issues.publishEvents', params: { type: 'issue.updated' } },
    ]);
    await carry();
    expect(await IssueRaiseModel.countDocuments()).toBe(200);
  });

  test('of many issues are one change of each', async () => {
    const entries = Array.from({ length: 200 }, (_, n) =>
      failure(n + 1, { fingerprint: `${n % 20}` }),
    );
    await fail(...entries);
    expect((await all()).map(({ revision, failures }) => [revision, failures?.count])).toEqual(
      Array(20).fill([1, 10]),
    );
  });

  test('that several processes deliver at once, some of them twice, are counted once', async () => {
    const deliveries = Array.from({ length: 20 }, (_, n) =>
      fail(...failuresOf(n * 5 + 1, n * 5 + 10)),
    );
    const outcomes = await Promise.allSettled(deliveries);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await one()).toMatchObject({ failures: { count: 105, lastRunId: 105 } });
  });

  test('of one fingerprint that cannot be counted leave no other uncounted', async () => {
    const away: WorkspaceDirectory = {
      ...directory,
      isMember: async () => {
        throw new Error('away');
      },
    };
    const entries = [failure(1, { assignedUserId: 5, fingerprint: 'a' }), failure(2)];
    await expect(raiseForFailures({ entries }, away)).rejects.toThrow('away');
    expect((await one()).description).toContain('run 2');
  });
});
