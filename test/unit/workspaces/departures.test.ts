import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { createWorkspace } from '../../../services/workspaces/create-workspace.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { SYSTEM } from '../../../services/workspaces/members/authority.ts';
import {
  type DepartureNews,
  sweepDepartures,
  tellDepartures,
} from '../../../services/workspaces/members/departures.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { CUT_OFF, cutOffAfter, FakeDirectory, testDatabase } from './database.ts';

const [ADA, BOB] = [1, 2] as const;
const directory = new FakeDirectory();
directory.add(ADA);
directory.add(BOB);
const change = { authority: SYSTEM, directory, markAffected: () => undefined };

let stop: () => Promise<void>;
beforeAll(async () => {
  stop = await testDatabase();
}, 60_000);
afterEach(() => jest.restoreAllMocks());
afterAll(() => stop());

async function workspaceWithBob(): Promise<number> {
  await Promise.all([WorkspaceModel.deleteMany(), MemberModel.deleteMany()]);
  const actor = { type: 'person', id: ADA, name: 'Ada' } as const;
  const { id } = await createWorkspace('Engines', ADA, actor);
  await addMember({ workspaceId: id, userEmail: 'user-2@example.com', role: 'ADMIN' }, change);
  return id;
}
const removeBob = (id: number) =>
  removeMember({ workspaceId: id, userEmail: 'user-2@example.com' }, change);
const isMember = async (id: number) =>
  (await MemberModel.findOne({ workspaceId: id, userId: BOB }).lean())?.role != null;
/** As if what is written down had been so for a while. */
const age = () =>
  WorkspaceModel.updateMany(
    { 'departures.0': { $exists: true } },
    { 'departures.0.at': new Date(0) },
  );

it('is told once, with who the OWNERs are', async () => {
  const id = await workspaceWithBob();
  await removeBob(id);
  const told: DepartureNews[] = [];
  const tell = async (news: DepartureNews) => void told.push(news);
  await tellDepartures(id, tell);
  await age();
  await sweepDepartures(tell);
  expect(told).toEqual([{ workspaceId: id, userId: BOB, ownerIds: [ADA] }]);
});

it('is told by a sweep when nobody could be told, and waits until then', async () => {
  const id = await workspaceWithBob();
  await removeBob(id);
  await expect(tellDepartures(id, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  const tell = jest.fn(async () => undefined);
  await sweepDepartures(tell);
  expect(tell).not.toHaveBeenCalled(); // its own process may be telling it
  await age();
  await sweepDepartures(tell);
  await sweepDepartures(tell);
  expect(tell).toHaveBeenCalledTimes(1);
});

it.each([0, 1, 2, 3, 4])(
  'is told exactly when Bob has left, cut off after %i writes',
  async (writes) => {
    const id = await workspaceWithBob();
    cutOffAfter(writes);
    await removeBob(id).catch((error: Error) => expect(error.message).toBe(CUT_OFF));
    jest.restoreAllMocks();
    await age();
    const tell = jest.fn(async () => undefined);
    await sweepDepartures(tell);
    expect(tell).toHaveBeenCalledTimes((await isMember(id)) ? 0 : 1);
    await sweepDepartures(tell);
    expect(await WorkspaceModel.countDocuments({ 'departures.0': { $exists: true } })).toBe(0);
  },
);
