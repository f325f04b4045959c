import type { Role } from '../../../contract/access-rule.ts';
import { MemberModel } from '../../../models/member.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { PUBLISH_MEMBER_EVENTS } from '../../../services/workspaces/members/member-events.ts';
import { memberEvents } from '../../../services/workspaces/members/publish-member-events.ts';
import { ADA, BOB, newWorkspace, useBob } from './fixtures.ts';

const bob = useBob();

/** Lets a process whose clock is fast by `ms` do some work. */
async function withClock(ms: number, work: () => Promise<unknown>): Promise<void> {
  const now = Date.now();
  const spy = jest.spyOn(Date, 'now').mockImplementation(() => now + ms);
  await work();
  spy.mockRestore();
}

/** The events of the member that stand in the outboxes, in the order in which they are published. */
async function standing(workspaceId: number) {
  const documents = [
    ...(await MemberModel.find({ _id: `${workspaceId}:${BOB}` }).lean()),
    ...(await WorkspaceModel.find({ _id: workspaceId }).lean()),
  ];
  const entries = documents
    .flatMap(({ outbox = [] }) => outbox)
    .flatMap((entry) =>
      'call' in entry && entry.call === PUBLISH_MEMBER_EVENTS
        ? [{ ...entry.params, id: entry.id, at: entry.at.toISOString() }]
        : [],
    );
  const found = await memberEvents(bob.directory).findPending(entries as never);
  return found.map(({ type, at, snapshot }) => ({
    type,
    at,
    role: (snapshot as { role: Role }).role,
  }));
}

test('events of a member are in the order of the decisions, whatever the clocks of the processes say', async () => {
  const workspaceId = await newWorkspace(ADA);
  const give = (role: Role) => () => bob.give(workspaceId, role);
  const add = (role: Role) => () => bob.add(workspaceId, role);
  const remove = () => bob.remove(workspaceId);
  await withClock(60_000, add('MEMBER'));
  await withClock(0, give('OWNER'));
  await withClock(30_000, give('GUEST'));
  await withClock(-30_000, give('ADMIN'));
  await withClock(5_000, remove);
  await withClock(-60_000, add('OWNER'));
  const events = await standing(workspaceId);
  expect(events.map(({ type, role }) => `${type} ${role}`)).toEqual([
    'member.added MEMBER',
    'member.role-changed OWNER',
    'member.role-changed GUEST',
    'member.role-changed ADMIN',
    'member.removed ADMIN',
    'member.added OWNER',
  ]);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted());
});
