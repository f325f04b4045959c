import { IssueModel } from '../../../models/issue.model.ts';
import { raiseIssue } from '../../../services/issues/raise-issue.ts';
import { raiseOf } from '../../../services/issues/raise-of-effect.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { carry, directory, OUTBOXES, remove, update, useIssues } from './fixtures.ts';

useIssues();

const byRun = changeContext({
  actor: { type: 'run', id: 9, name: 'run' },
  via: 'run',
  operation: 'issues.raise',
});

type Effect = Parameters<typeof raiseOf>[0];
const raise = (key: string, fields: Partial<Effect> = {}) =>
  raiseIssue(
    raiseOf({
      workspaceId: 1,
      key,
      title: 'Broken',
      description: null,
      assignedUserId: null,
      fingerprint: null,
      ...fields,
    }),
    byRun,
    directory,
  );
const shared = { fingerprint: 'orders' };

const counts = async () => ({
  issues: await IssueModel.countDocuments({ removedAt: null }),
  revisions: (await IssueModel.find({}, { revision: 1 }).lean<{ revision: number }[]>()).map(
    ({ revision }) => revision,
  ),
});

describe.each(OUTBOXES)('a raise that %s', (_, deliver) => {
  test('is not repeated, and answers the same issue', async () => {
    const first = await raise('a');
    await deliver();
    expect(await raise('a')).toEqual(first);
    expect(await counts()).toEqual({ issues: 1, revisions: [1] });
  });

  test('is not repeated after a person has closed the issue', async () => {
    const { id } = await raise('a', shared);
    await deliver();
    await update(id, { status: 'CLOSED' });
    expect(await raise('a', shared)).toMatchObject({ id, status: 'CLOSED' });
  });

  test('is not repeated after 50 other raises of the issue', async () => {
    const { id } = await raise('first', { ...shared, title: 'First' });
    await deliver();
    for (let n = 0; n < 50; n++) await raise(`other ${n}`, { ...shared, title: `Other ${n}` });
    expect(await raise('first', { ...shared, title: 'First' })).toMatchObject({
      id,
      title: 'Other 49',
    });
  });

  test('updates the issue of another effect once', async () => {
    const { id } = await raise('a', shared);
    await raise('b', { ...shared, title: 'Again' });
    await deliver();
    await update(id, { title: 'By hand', status: 'RESOLVED' });
    expect(await raise('b', { ...shared, title: 'Again' })).toMatchObject({
      id,
      title: 'By hand',
      status: 'RESOLVED',
    });
  });
});

test('a repeat after the issue was deleted makes no other issue, and answers the deleted one', async () => {
  const first = await raise('a', { ...shared, description: 'Text' });
  await carry();
  await remove(first.id);
  const repeated = await raise('a', { ...shared, description: 'Text' });
  expect(repeated).toEqual({ ...first, updatedAt: expect.any(String) });
  expect((await counts()).issues).toBe(0);
});

describe('a fingerprint', () => {
  test('has one issue, which is updated and opened again', async () => {
    const first = await raise('a', { ...shared, description: 'One', assignedUserId: 5 });
    await update(first.id, { status: 'RESOLVED' });
    const again = await raise('b', { ...shared, title: 'Worse' });
    expect(again).toMatchObject({
      id: first.id,
      title: 'Worse',
      description: 'One',
      status: 'OPEN',
      assignee: { id: 5 },
    });
    const { reporter, titleWords } = await IssueModel.findById(first.id).orFail().lean();
    expect([reporter.type, titleWords]).toEqual(['run', ['worse']]);
  });

  test('leaves an issue in progress as it is', async () => {
    const { id } = await raise('a', shared);
    await update(id, { status: 'IN_PROGRESS' });
    expect(await raise('b', shared)).toMatchObject({ id, status: 'IN_PROGRESS' });
    expect((await counts()).revisions).toEqual([2]);
  });

  test('of a deleted issue makes a new one', async () => {
    const { id } = await raise('a', shared);
    await remove(id); // the tombstone is still there
    const next = await raise('b', shared);
    expect(next.id).not.toBe(id);
    expect((await counts()).issues).toBe(1);
  });

  test('of another workspace is another', async () => {
    const { id } = await raise('a', shared);
    expect((await raise('b', { ...shared, workspaceId: 2 })).id).not.toBe(id);
  });

  test('is no fingerprint of an effect that has none', async () => {
    const { id } = await raise('a');
    expect((await raise('b', { fingerprint: 'a' })).id).not.toBe(id);
    expect((await raise('c')).id).not.toBe(id);
  });
});

describe('raises at once', () => {
  const ids = (answers: readonly { id: number }[]) => new Set(answers.map(({ id }) => id)).size;

  test('with one fingerprint make one issue', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`);
    const answers = await Promise.all(
      keys.map((key) => raise(key, { ...shared, title: `Title of ${key}` })),
    );
    expect(ids(answers)).toBe(1);
    expect(await counts()).toEqual({ issues: 1, revisions: [40] });
  });

  test('with one key count once', async () => {
    await raise('earlier', shared);
    const again = () => raise('a', { ...shared, title: 'Once' });
    expect(ids(await Promise.all(Array.from({ length: 10 }, again)))).toBe(1);
    expect((await counts()).revisions).toEqual([2]);
    expect(ids(await Promise.all(Array.from({ length: 10 }, () => raise('b'))))).toBe(1);
    expect((await counts()).issues).toBe(2);
  });
});

test('an assignee must be a member, when the assignee changes', async () => {
  const refused = { type: 'INVALID_REQUEST', data: { errors: [{ code: 'not_a_member' }] } };
  await expect(raise('a', { assignedUserId: 6 })).rejects.toMatchObject(refused);
  const { id } = await raise('b', { ...shared, assignedUserId: 5 });
  await expect(raise('c', { ...shared, assignedUserId: 6 })).rejects.toMatchObject(refused);
  await IssueModel.updateOne({ _id: id }, { assignedUserId: 6 }); // the person has left since
  expect(await raise('d', { ...shared, assignedUserId: 6, title: 'Still' })).toMatchObject({ id });
});
