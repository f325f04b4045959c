import { databaseCommand } from '../../mixins/database/commands.ts';
import { ApiKeyModel } from '../../models/api-key.model.ts';
import { FlowModel } from '../../models/flow.model.ts';
import { IssueModel } from '../../models/issue.model.ts';
import { MemberModel, memberId } from '../../models/member.model.ts';
import { RunModel } from '../../models/run.model.ts';
import { SessionModel } from '../../models/session.model.ts';
import { UserModel } from '../../models/user.model.ts';
import { WorkspaceModel } from '../../models/workspace.model.ts';
import { flowsByIds } from '../../services/flows/find-flow.ts';
import { flows } from '../../services/flows/flows.store.ts';
import { findSession } from '../../services/identity/sessions/session.ts';
import { findUser, findUsers, isOwnAddress } from '../../services/identity/users/users.ts';
import { issues } from '../../services/issues/issues.store.ts';
import { findRun } from '../../services/runs/find-run.ts';
import { findRole } from '../../services/workspaces/members/find-role.ts';
import { workspaces } from '../../services/workspaces/workspaces.store.ts';
import { isDatabaseAway } from '../../support/database-outage.ts';
import { useDatabase } from '../helpers/database.ts';

const IDS = [1, 2, 3, 4, 5, 6, 7, 8];
const MODELS = [
  ApiKeyModel,
  FlowModel,
  IssueModel,
  MemberModel,
  RunModel,
  SessionModel,
  UserModel,
  WorkspaceModel,
];
const NOBODY = { byIds: async () => new Map(), byEmail: async () => null };
let finds = 0;

it('before the first connection, a batched find fails as a database that is away', async () => {
  const errors = await Promise.allSettled(IDS.map(issues.find));
  const reasons = errors.map((end) => end.status === 'rejected' && isDatabaseAway(end.reason));
  expect(reasons).toEqual(IDS.map(() => true));
});

describe('concurrent reads by id', () => {
  databaseCommand.subscribe(({ command }) => {
    if (command === 'find') finds++;
  });
  const database = useDatabase(MODELS);
  beforeAll(storeSomeOfEach);
  beforeEach(() => {
    finds = 0;
  });

  it.each([
    ['issues', issues.find],
    ['flows', flows.find],
    ['runs', findRun],
    ['users', findUser],
    ['workspaces', workspaces.find],
  ])('cost one command together: %s', async (_, find: (id: number) => Promise<object | null>) => {
    const found = await Promise.all(IDS.map(find));
    expect(found).toEqual(IDS.map((id) => expect.objectContaining({ _id: id })));
    expect(finds).toBe(1);
  });

  it('leave out the fields that are not shown', async () => {
    const [issue, flow, run] = await Promise.all([issues.find(1), flows.find(1), findRun(1)]);
    expect(Object.keys(issue ?? {})).not.toContain('titleWords');
    expect(flow?.pendingVersion).toEqual({ id: 9, sequence: 1 });
    expect(Object.keys(run ?? {})).not.toContain('journal');
  });

  it('give of many flows what a run needs, of those that there are', async () => {
    const flows = await flowsByIds([2, 999, 1]);
    expect(flows.toSorted((a, b) => a.id - b.id)).toEqual([
      { id: 1, workspaceId: 1, name: 'flow 1', versionId: null },
      { id: 2, workspaceId: 1, name: 'flow 2', versionId: null },
    ]);
    expect([await flowsByIds([]), finds]).toEqual([[], 2]);
  });

  it('see what was written before them, each time', async () => {
    expect((await issues.find(8))?.title).toBe('issue 8');
    await IssueModel.updateOne({ _id: 8 }, { title: 'changed' });
    expect((await issues.find(8))?.title).toBe('changed');
    await IssueModel.deleteOne({ _id: 8 });
    expect(await issues.find(8)).toBeNull();
  });

  it('do not find a run that is being removed', async () => {
    await RunModel.updateOne({ _id: 7 }, { expired: true });
    expect(await Promise.all([findRun(7), findRun(6)])).toEqual([
      null,
      expect.objectContaining({ _id: 6 }),
    ]);
  });

  it('find a session for its own user only, and not once it has ended', async () => {
    const ask = (id: number, userId = id) => findSession(`session ${id}`, userId);
    const found = await Promise.all([ask(1), ask(2), ask(1, 2), ask(3), ask(4)]);
    expect(found.map((session) => session?._id)).toEqual([
      'session 1',
      'session 2',
      undefined,
      undefined,
      undefined,
    ]);
    expect(finds).toBe(1);
  });

  it('read the roles of many people with one command for workspaces and one for members', async () => {
    const found = await Promise.all(IDS.map((userId) => findRole(userId, 1, NOBODY)));
    const owner = { role: 'OWNER', confirmed: [] };
    const member = { role: 'MEMBER', confirmed: [] };
    expect(found).toEqual(IDS.map((id) => (id === 1 ? owner : member)));
    expect(finds).toBe(2);
  });

  it('join lists of ids with single ids', async () => {
    const [own, users, user] = await Promise.all([
      isOwnAddress(1, 'USER-1@example.com'),
      findUsers([1, 2, 2, 99]),
      findUser(3),
    ]);
    expect([own, users.map(({ _id }) => _id), user?._id]).toEqual([true, [1, 2], 3]);
    expect(finds).toBe(1);
  });

  it('all fail as a database that is away when it has gone', async () => {
    await database.mongo.stop();
    const ends = await Promise.allSettled(IDS.map(issues.find));
    const reasons = ends.map((end) => end.status === 'rejected' && isDatabaseAway(end.reason));
    expect(reasons).toEqual(IDS.map(() => true));
  });
});

const HOUR_MS = 3_600_000;

/** Eight of each, with the ids from 1; session 3 has been revoked, session 4 has expired. */
async function storeSomeOfEach(): Promise<void> {
  const now = Date.now();
  const createdAt = new Date(now);
  for (const id of IDS) {
    await IssueModel.create({ _id: id, workspaceId: 1, title: `issue ${id}`, titleWords: ['x'] });
    const pendingVersion = { id: 9, sequence: 1, content: 'do: []' };
    await FlowModel.create({ _id: id, workspaceId: 1, name: `flow ${id}`, pendingVersion });
    await RunModel.create({ _id: id, workspaceId: 1, flowId: 1, fence: 0, journal: [], createdAt });
    const emailKey = `user-${id}@example.com`;
    await UserModel.create({ _id: id, email: emailKey, emailKey, createdAt, updatedAt: createdAt });
    await WorkspaceModel.create({ _id: id, name: `workspace ${id}`, ownerIds: [id] });
    const role = 'MEMBER';
    await MemberModel.create({ _id: memberId(1, id), workspaceId: 1, userId: id, role });
    await SessionModel.create({
      _id: `session ${id}`,
      userId: id,
      revokedAt: id === 3 ? new Date(now) : null,
      expiresAt: new Date(id === 4 ? now - HOUR_MS : now + HOUR_MS),
    });
  }
}
