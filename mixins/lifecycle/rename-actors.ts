import type { mongo } from 'mongoose';
import { DELETED_ACTOR_NAME } from '../../contract/deleted-user.ts';
import type { Filter, Write } from './erasure-batches.ts';

/** The documents with an actor to rename, and the write that renames the actor and makes a further update. */
interface Rename {
  filter: Filter;
  write: (further: mongo.UpdateFilter<mongo.Document>) => Write;
}

/** Renames the actor at a path of a document. */
export function renameActor(path: string, id: number): Rename {
  const filter = namedActor(path, id);
  const $set = { [`${path}.name`]: DELETED_ACTOR_NAME };
  const write: Rename['write'] = (further) => (collection, some) =>
    collection.updateMany({ ...some, ...filter }, { $set, ...further });
  return { filter, write };
}

/** Renames the actor at a path of each entry of a list. */
export function renameInList(list: string, path: string, id: number): Rename {
  const filter = { [list]: { $elemMatch: namedActor(path, id) } };
  const $set = { [`${list}.$[entry].${path}.name`]: DELETED_ACTOR_NAME };
  const arrayFilters = [namedActor(`entry.${path}`, id)];
  const write: Rename['write'] = (further) => (collection, some) =>
    collection.updateMany({ ...some, ...filter }, { $set, ...further }, { arrayFilters });
  return { filter, write };
}

/** Matches an actor that is the person and still has the person's name. */
const namedActor = (path: string, id: number): Filter => ({
  [`${path}.id`]: id,
  [`${path}.type`]: 'person',
  [`${path}.name`]: { $ne: DELETED_ACTOR_NAME },
});
