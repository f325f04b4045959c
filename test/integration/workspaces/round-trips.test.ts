import type { Role } from '../../../contract/access-rule.ts';
import { confirmMemberships } from '../../../services/workspaces/members/confirm-memberships.ts';
import { renameWorkspace } from '../../../services/workspaces/rename-workspace.ts';
import { commandsOf } from '../../helpers/captured-commands.ts';
import { ADA, BOB, newWorkspace, useBob } from './fixtures.ts';

const bob = useBob();
beforeAll(() => newWorkspace(ADA)); // takes the first block of ids

const add = (role: Role) => (workspaceId: number) => bob.add(workspaceId, role);
const give = (role: Role) => (workspaceId: number) => bob.give(workspaceId, role);
const { directory, remove } = bob;
const rename = (id: number) => renameWorkspace({ id, name: 'Renamed' }, bob.change.context);
const confirm = () => confirmMemberships(BOB, directory);

type Work = (workspaceId: number) => Promise<unknown>;
const cases: [what: string, before: Role | null, work: Work, most: number][] = [
  ['creating a workspace', null, () => newWorkspace(ADA), 2],
  ['creating a workspace within a quota', null, () => newWorkspace(ADA, 50), 3],
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
  const workspaceId = await newWorkspace(ADA);
  if (before) await add(before)(workspaceId);
  const commands = await commandsOf(() => work(workspaceId));
  expect({ commands, count: commands.length }).toEqual({ commands, count: most });
});

it.each<[Role, number]>([
  ['GUEST', 3],
  ['OWNER', 5],
])('confirming a %s takes no more round trips than it must', async (role, most) => {
  directory.add(BOB, false);
  await add(role)(await newWorkspace(ADA));
  directory.add(BOB, true);
  const commands = await commandsOf(async () => expect(await confirm()).toHaveLength(1));
  expect({ commands, count: commands.length }).toEqual({ commands, count: most });
});
