import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { getWorkspace } from '../../../services/workspaces/get-workspace.ts';
import { renameWorkspace } from '../../../services/workspaces/rename-workspace.ts';
import { findShareOwner } from '../../../services/workspaces/share-owner.ts';
import { changeContext } from '../../helpers/change-context.ts';
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
  ['nobody in particular when the creator is no OWNER', 3, [2, 1], 'transferred'],
  ['all unverified accounts together when the creator is not verified', 4, [4, 1], 'unverified'],
])('a workspace is paid for by %s', async (_who, creator, ownerIds, owner) => {
  expect(await findShareOwner(await workspaceOf(creator, ownerIds), directory)).toBe(owner);
});

test('a workspace that is gone is nobody’s', async () => {
  expect(await findShareOwner(999_999, directory)).toBe('unknown');
});

describe('a workspace whose creator has left', () => {
  const renamed = async (userId: number, name: string) => {
    const id = await workspaceOf(3, [1, 2]);
    const actor = { type: 'person', id: userId, name: 'Ada' } as const;
    await renameWorkspace({ id, name }, { ...changeContext({ audit: { none: 'a test' } }), actor });
    return id;
  };
  const nameOf = async () => (await getWorkspace(await workspaceOf(3, [1]))).name;

  test('is paid for by the OWNER who has renamed it, also to the same name, while OWNER', async () => {
    const id = await renamed(2, await nameOf());
    expect(await findShareOwner(id, directory)).toBe('person:2');
    await WorkspaceModel.updateOne({ _id: id }, { $set: { ownerIds: [1] } });
    expect(await findShareOwner(id, directory)).toBe('transferred');
  });

  test('is not taken over by others than its OWNERs', async () => {
    expect(await findShareOwner(await renamed(4, 'other'), directory)).toBe('transferred');
  });
});
