import { DELETED_ACTOR_NAME } from '../../../contract/deleted-user.ts';
import { cursorOf, readCursor } from '../../../contract/pages.ts';
import { entryIdPrefix } from '../../../mixins/changes/outbox.ts';
import type { ActorFinder } from '../../../mixins/lifecycle/erasure-steps.ts';
import { type AuditEntryDocument, AuditEntryModel } from '../../../models/audit-entry.model.ts';
import type { Actions, Params } from '../../contracts.ts';

/** Entries of one page. */
const PAGE_SIZE = 500;
/** Comes after the id of every entry. */
const AFTER_ALL = 'g';

type Entry = Pick<AuditEntryDocument, '_id' | 'actor' | 'resource'>;
interface Acts {
  userId: number;
  since?: number | undefined;
  after?: string | undefined;
}

/** Lists the resources of a type that a person has changed, by the audit log: a page of them, some more than once. */
export async function listActs({
  resourceType,
  since,
  ...acts
}: Params<'workspaces.listActs'>): Promise<Actions['workspaces.listActs']['result']> {
  const { entries, after } = await findEntries({ ...acts, since: Date.parse(since) });
  const changed = entries.filter(({ resource }) => resource.type === resourceType);
  return { ids: [...new Set(changed.map(({ resource }) => resource.id))], after };
}

/** Finds the entries that name the person. */
export const findNamedEntries: ActorFinder = async ({ targetId: userId }, cursor) => {
  const after = cursor === null ? undefined : String(cursor);
  const { entries, after: next } = await findEntries({ userId, after });
  const named = entries.filter(({ actor }) => actor.name !== DELETED_ACTOR_NAME);
  return { ids: named.map(({ _id }) => _id), after: next };
};

/**
 * Pages through the entries of a person by the index of actors: first those without a workspace, then from workspace to
 * workspace, each from the newest entry to the oldest since a time in milliseconds.
 */
async function findEntries({ userId, since = 0, after }: Acts) {
  const [of = 0, before = AFTER_ALL] = (after && readCursor(after, 'number', 'string')) || [];
  const person = { 'actor.id': userId, 'actor.type': 'person' } as const;
  const ids = { $gte: entryIdPrefix(since), $lt: String(before) };
  const entries = await AuditEntryModel.find(
    { ...person, workspaceId: of === 0 ? null : Number(of), _id: ids },
    { actor: 1, resource: 1 },
  )
    .sort({ _id: -1 })
    .limit(PAGE_SIZE)
    .lean<Entry[]>();
  const last = entries.length === PAGE_SIZE ? entries.at(-1) : undefined;
  if (last) return { entries, after: cursorOf(of, last._id) };
  const next = await AuditEntryModel.findOne(
    { ...person, workspaceId: { $gt: Number(of) } },
    { workspaceId: 1, _id: 0 },
  )
    .sort({ workspaceId: 1, _id: -1 })
    .lean<{ workspaceId: number }>();
  return { entries, after: next && cursorOf(next.workspaceId, AFTER_ALL) };
}
