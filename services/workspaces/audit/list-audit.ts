import type { QueryFilter } from 'mongoose';
import { ACTOR_TYPES, type AuditEntry } from '../../../contract/audit.ts';
import { positionInText } from '../../../contract/page-position.ts';
import { cursorOf, type Page, pageFrom } from '../../../contract/pages.ts';
import { invalidRequest } from '../../../contract/problem.ts';
import { entryIdPrefix } from '../../../mixins/changes/outbox.ts';
import { type AuditEntryDocument, AuditEntryModel } from '../../../models/audit-entry.model.ts';
import type { Params } from '../../contracts.ts';

/** Entries that one request examines at most. A request that finds no full page among them answers a shorter page. */
export const MAX_EXAMINED = 5_000;

type Query = Params<'workspaces.listAudit'>;
type Filter = QueryFilter<AuditEntryDocument>;

/**
 * Lists the entries of a workspace, newest first. Entry ids are in the order of time, so the ids of an index range
 * are also the entries of a time range.
 */
export async function listAudit(query: Query): Promise<Page<AuditEntry>> {
  const { limit } = query;
  const ids = idRangeOf(query);
  const ranges = indexedFiltersOf(query).map((filter) => ({ ...filter, _id: ids }));
  const others = otherFilterOf(query);
  const ends = Object.keys(others).length ? await Promise.all(ranges.map(lastExamined)) : [];
  // The newest of the ends: what is older in its range is not examined yet.
  const end = ends.reduce((last, id) => (last === null || (id && id > last) ? id : last), null);
  const first = end ?? ids.$gte;
  const found = await Promise.all(
    ranges.map((range) =>
      AuditEntryModel.find({ ...range, ...others, _id: { ...ids, $gte: first } })
        .sort({ _id: -1 })
        .limit(limit + 1)
        .lean<AuditEntryDocument[]>(),
    ),
  );
  const rows = found
    .flat()
    .toSorted((a, b) => (a._id < b._id ? 1 : -1))
    .slice(0, limit + 1);
  const page = pageFrom(rows, limit, showEntry, ({ _id }) => cursorOf(_id));
  return { ...page, after: page.after ?? (end === null ? null : cursorOf(end)) };
}

interface IdRange {
  $gte: string;
  $lt: string;
}

/** The ids of the entries between `from` and `to`, both included, and after the cursor. */
function idRangeOf({ from, to, after }: Query): IdRange {
  const first = from === undefined ? 0 : Date.parse(from);
  const last = to === undefined ? MAX_TIME : Date.parse(to);
  if (from !== undefined && first > last) {
    const message = 'must not be after `to`';
    throw invalidRequest([{ in: 'query', path: 'from', code: 'after_to', message }]);
  }
  const end = entryIdPrefix(last + 1);
  const position = positionInText({ after });
  return { $gte: entryIdPrefix(first), $lt: position !== null && position < end ? position : end };
}

/** The last millisecond that an entry id can hold, less one (RFC 9562, section 5.7: 48 bits). */
const MAX_TIME = 2 ** 48 - 2;

/** The conditions that an index answers; several where the entries are in several ranges of the index. */
function indexedFiltersOf({ workspaceId, resourceId, actorId, actorType }: Query): Filter[] {
  if (resourceId !== undefined) return [{ workspaceId, 'resource.id': resourceId }];
  if (actorId === undefined) return [{ workspaceId }];
  const types = actorType === undefined ? ACTOR_TYPES : [actorType];
  return types.map((type) => ({ workspaceId, 'actor.id': actorId, 'actor.type': type }));
}

/** The conditions that each examined entry is compared with. */
function otherFilterOf({ resourceId, actorId, actorType, operation, resourceType }: Query): Filter {
  const isByActor = resourceId === undefined && actorId !== undefined;
  return {
    ...(isByActor || actorId === undefined ? {} : { 'actor.id': actorId }),
    ...(isByActor || actorType === undefined ? {} : { 'actor.type': actorType }),
    ...(operation === undefined ? {} : { operation }),
    ...(resourceType === undefined ? {} : { 'resource.type': resourceType }),
  };
}

/** The id of the last entry that the request examines; null where no entry of the range follows. */
async function lastExamined(range: Filter): Promise<string | null> {
  const [last, next] = await AuditEntryModel.find(range, { _id: 1 })
    .sort({ _id: -1 })
    .skip(MAX_EXAMINED - 1)
    .limit(2)
    .lean<{ _id: string }[]>();
  return last && next ? last._id : null;
}

const showEntry = ({ _id: id, at, workspaceId: _, ...entry }: AuditEntryDocument): AuditEntry => ({
  id,
  at: at.toISOString(),
  ...entry,
});
