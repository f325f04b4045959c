import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { finishRemovals } from '../../../services/workspaces/members/finish-removals.ts';
import { ADA, BOB, CUT_OFF, cutOffAfter, newWorkspace, useBob } from './fixtures.ts';

const bob = useBob();
let workspaceId: number;
beforeEach(async () => {
  await Promise.all([WorkspaceModel.deleteMany(), MemberModel.deleteMany()]);
  workspaceId = await newWorkspace(ADA);
});

const add = (role: 'ADMIN' | 'OWNER' | 'GUEST') => bob.add(workspaceId, role);
const give = (role: 'ADMIN' | 'OWNER' | 'GUEST') => bob.give(workspaceId, role);
const remove = () => bob.remove(workspaceId);
const roleNow = () => bob.roleIn(workspaceId);

interface Entry {
  id: string;
  call: string;
  params: { operation?: string; changed?: string[]; resource?: object; userId?: number };
}
/** What is to follow the writes so far, whichever document it stands in. */
async function outbox(): Promise<Entry[]> {
  const documents = [
    ...(await WorkspaceModel.collection.find().toArray()),
    ...(await MemberModel.collection.find().toArray()),
  ];
  return documents.flatMap(({ outbox: entries = [] }) => entries as Entry[]);
}
const departures = async () =>
  (await outbox()).filter(({ call }) => call === 'identity.memberLeft');
/** The audit entries of Bob's membership. */
const audited = async () =>
  (await outbox()).filter(
    ({ params }) => JSON.stringify(params.resource) === `{"type":"member","id":${BOB}}`,
  );

/** As if every removal that has begun had begun long ago. */
const age = () =>
  MemberModel.updateMany({ removal: { $exists: true } }, { 'removal.at': new Date(0) });

describe('a removal', () => {
  it('tells identity once, with the remaining OWNERs', async () => {
    await add('OWNER');
    await remove();
    await age();
    await finishRemovals();
    expect(await departures()).toEqual([
      expect.objectContaining({ params: { workspaceId, userId: BOB, ownerIds: [ADA] } }),
    ]);
  });

  it.each([0, 1, 2, 3])(
    'of a member is told exactly when it took place, cut off after %i writes',
    async (writes) => {
      await add('ADMIN');
      cutOffAfter(writes);
      await remove().catch((error: Error) => expect(error.message).toBe(CUT_OFF));
      jest.restoreAllMocks();
      const isMember = (await roleNow()) !== null;
      await finishRemovals(); // leaves alone what may be under way
      await age();
      await finishRemovals();
      await finishRemovals();
      expect(await roleNow()).toBe(isMember ? 'ADMIN' : null);
      expect(await departures()).toHaveLength(isMember ? 0 : 1);
      expect(await audited()).toHaveLength(isMember ? 1 : 2);
      expect(await MemberModel.countDocuments({ removal: { $exists: true } })).toBe(0);
    },
  );

  it('of an OWNER that was cut off before the decision is given up', async () => {
    await add('OWNER');
    cutOffAfter(1);
    await expect(remove()).rejects.toThrow(CUT_OFF);
    jest.restoreAllMocks();
    await age();
    await finishRemovals();
    expect([await roleNow(), await departures()]).toEqual(['OWNER', []]);
    await give('GUEST');
    await age();
    await finishRemovals();
    expect(await roleNow()).toBe('GUEST');
  });

  it('that was cut off is recorded when the user is added again meanwhile', async () => {
    await add('ADMIN');
    cutOffAfter(1);
    await expect(remove()).rejects.toThrow(CUT_OFF);
    jest.restoreAllMocks();
    await add('GUEST');
    await age();
    await finishRemovals();
    expect([await roleNow(), await departures()]).toEqual(['GUEST', []]);
    expect(await audited()).toHaveLength(3);
  });
});

it('a user can be added again at once, and what followed the removal is kept', async () => {
  await add('ADMIN');
  await remove();
  await add('GUEST');
  expect(await roleNow()).toBe('GUEST');
  expect(await departures()).toHaveLength(1);
  expect(await audited()).toHaveLength(3);
});

describe('the audit log gets one entry', () => {
  it.each([
    ['adding a MEMBER', () => add('GUEST')],
    ['adding an OWNER', () => add('OWNER')],
  ])('of %s', async (_what, work) => {
    await work();
    expect(await audited()).toHaveLength(1);
  });

  it.each([
    ['GUEST', 'ADMIN'],
    ['GUEST', 'OWNER'],
    ['OWNER', 'ADMIN'],
  ] as const)('of changing %s to %s', async (before, role) => {
    await add(before);
    const earlier = (await audited()).map(({ id }) => id);
    await give(role);
    const entries = (await audited()).filter(({ id }) => !earlier.includes(id));
    expect(entries.map(({ params }) => params.changed)).toEqual([['role']]);
  });

  it('and none of a change that changes nothing', async () => {
    await add('GUEST');
    await give('GUEST');
    expect(await audited()).toHaveLength(1);
  });
});
