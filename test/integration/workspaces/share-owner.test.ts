import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { findShareOwner } from '../../../services/workspaces/share-owner.ts';
import { FakeDirectory, newWorkspace, useWorkspaces } from './fixtures.ts';

const directory = new FakeDirectory();
useWorkspaces();
beforeAll(async () => {
  for (const id of [1, 2, 3]) directory.add(id);
  directory.add(4, false);
});

async function workspaceOf(creator: number, ownerIds: number[]): Promise<number> {
  const id = await newWorkspace(creator);
  await WorkspaceModel.updateOne({ _id: id }, { $set: { ownerIds } });
  return id;
}

test.each([
  ['its creator while OWNER', 3, [2, 3], 'person:3'],
  ['the OWNER with the lowest id when the creator is none', 3, [2, 1], 'person:1'],
  ['all unverified accounts together when the creator is not verified', 4, [4, 1], 'unverified'],
])('a workspace is paid for by %s', async (_who, creator, ownerIds, owner) => {
  expect(await findShareOwner(await workspaceOf(creator, ownerIds), directory)).toBe(owner);
});

test('a workspace that is gone is nobody’s', async () => {
  expect(await findShareOwner(999_999, directory)).toBe('unknown');
});
