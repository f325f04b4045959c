import type { EventEntry } from '../../../contract/publish-events.ts';
import { memberId } from '../../../models/member.model.ts';
import { type EventPublisher, findPendingEntries } from '../../outgoing-events/publish-events.ts';
import { workspaces } from '../workspaces.store.ts';
import { MemberSnapshot, PUBLISH_MEMBER_EVENTS } from './member-events.ts';
import { members } from './members.store.ts';
import { showPerson } from './show-member.ts';
import { deletedUserOf, type UserDirectory } from './user-directory.ts';

/**
 * Publishes the events of members, as the list of members shows them. An event stands in the member's row, or in the
 * workspace's document, which decides about OWNERs: both are read, and the times of their entries
 * are in the order of the decisions (`withMemberEvent`).
 */
export const memberEvents = (directory: UserDirectory): EventPublisher => ({
  service: 'workspaces',
  action: PUBLISH_MEMBER_EVENTS,
  resourceOf: ({ snapshot }) => ({ type: 'member', id: MemberSnapshot.parse(snapshot).userId }),
  findPending,
  async render(entries) {
    const shown = entries.map(({ snapshot }) => MemberSnapshot.parse(snapshot));
    const users = await directory.byIds([...new Set(shown.map(({ userId }) => userId))]);
    return shown.map(({ userId, role, pending, givenTo, joinedAt }) => ({
      id: userId,
      ...showPerson(users.get(userId) ?? deletedUserOf(userId), { pending, row: { givenTo } }),
      role,
      joinedAt,
      pending,
    }));
  },
});

async function findPending(entries: readonly EventEntry[]): Promise<EventEntry[]> {
  const keyOf = ({ workspaceId, snapshot }: EventEntry) =>
    memberId(workspaceId, MemberSnapshot.parse(snapshot).userId);
  const keys = new Set(entries.map(keyOf));
  const workspaceIds = [...new Set(entries.map(({ workspaceId }) => workspaceId))];
  const [ofRows, ofWorkspaces] = await Promise.all([
    findPendingEntries(members.collection, [...keys], PUBLISH_MEMBER_EVENTS),
    findPendingEntries(workspaces.collection, workspaceIds, PUBLISH_MEMBER_EVENTS),
  ]);
  const rows = Map.groupBy(ofRows, keyOf);
  const decided = Map.groupBy(ofWorkspaces, keyOf);
  return [...keys].flatMap((key) => mergeByTime(rows.get(key) ?? [], decided.get(key) ?? []));
}

/** Merges two lists of one member by the times of their entries. Each list keeps its own order, which is that of the changes. */
function mergeByTime(rows: readonly EventEntry[], decided: readonly EventEntry[]): EventEntry[] {
  const left = [...rows];
  const right = [...decided];
  const merged: EventEntry[] = [];
  for (;;) {
    const [one, other] = [left[0], right[0]];
    const isLeft = one && (!other || one.at <= other.at);
    const next = isLeft ? left.shift() : right.shift();
    if (!next) return merged;
    merged.push(next);
  }
}
