import type { Role } from '../../../contract/access-rule.ts';
import { addMember } from '../../../services/workspaces/members/add-member.ts';
import { changeRole } from '../../../services/workspaces/members/change-role.ts';
import { confirmMemberships } from '../../../services/workspaces/members/confirm-memberships.ts';
import { removeMember } from '../../../services/workspaces/members/remove-member.ts';
import { renameWorkspace } from '../../../services/workspaces/rename-workspace.ts';
import { commandsOf } from '../../helpers/captured-commands.ts';
import { FakeDirectory, memberChange, newWorkspace, useWorkspaces } from './fixtures.ts';

const OWNER = 1;
const BOB = 2;
const userEmail = 'user-2@example.com';
const directory = new FakeDirectory();
const authority = { kind: 'person', userId: OWNER, role: 'OWNER' } as const;
const change = memberChange(authority, directory);

useWorkspaces();
beforeAll(async () => {
  directory.add(OWNER);
  await newWorkspace(OWNER); // takes the first block of ids
});

const add = (role: Role) => (workspaceId: number) =>
  addMember({ workspaceId, userEmail, role }, change);
const give = (role: Role) => (workspaceId: number) =>
  changeRole({ workspaceId, userEmail, role }, change);
const remove = (workspaceId: number) => removeMember({ workspaceId, userEmail }, change);
const rename = (workspaceId: number) =>
  renameWorkspace({ id: workspaceId, name: 'Renamed' }, change.context);
const confirm = () => confirmMemberships(BOB, directory);

type Work = (workspaceId: number) => Promise<unknown>;
const cases: [what: string, before: Role | null, work: Work, most: number][] = [
  ['creating a workspace', null, () => newWorkspace(OWNER), 2],
  ['creating a workspace within a quota', null, () => newWorkspace(OWNER, 50), 3],
  ['renaming a workspace', null, rename, 1],
  ['adding a MEMBER', null, add('MEMBER'), 3],
  ['adding an OWNER', null, add('OWNER'), 6],
  ['changing a GUEST to ADMIN', 'GUEST', give('ADMIN'), 3],
  ['changing a GUEST to OWNER', 'GUEST', give('OWNER'), 4],
  ['changing an OWNER to GUEST', 'OWNER', give('GUEST'), 4],
  ['removing a MEMBER', 'MEMBER', remove, 5],
  ['removing an OWNER', 'OWNER', remove, 5],
];

it.each(cases)('%s takes no more round trips than it must', async (_what, before, work, most) => {
  directory.add(BOB);
  const workspaceId = await newWorkspace(OWNER);
  if (before) await add(before)(workspaceId);
  const commands = await commandsOf(() => work(workspaceId));
  expect({ commands, count: commands.length }).toEqual({ commands, count: most });
});

it.each<[Role, number]>([
  ['GUEST', 3],
  ['OWNER', 5],
])('confirming a %s takes no more round trips than it must', async (role, most) => {
  directory.add(BOB, false);
  await add(role)(await newWorkspace(OWNER));
  directory.add(BOB, true);
  const commands = await commandsOf(async () => expect(await confirm()).toHaveLength(1));
  expect({ commands, count: commands.length }).toEqual({ commands, count: most });
});
