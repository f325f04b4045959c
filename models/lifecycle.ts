import type { IndexDefinition, IndexOptions, Schema } from 'mongoose';

/** The reason why a collection's documents stay. */
interface Keep {
  keep: string;
}

/** What becomes of a collection's documents when their workspace is deleted. */
export type WorkspaceRule<Name extends string = string> =
  | Keep
  /** The documents whose field has the workspace's id are removed, but for those that match `except`. */
  | { remove: Name; except?: Readonly<Record<string, unknown>> }
  /** The documents stay, and their field that has the workspace's id becomes null, as by a change. */
  | { clear: Name }
  /** The documents that belong to a document of another collection are removed before that document. */
  | { removeWith: string; where: (ownerId: number) => Readonly<Record<string, unknown>> };

/** What becomes of a collection's documents when a person is deleted. */
export type PersonRule<Name extends string = string> =
  | Keep
  | {
      /** Documents are removed in which one of these fields has the person's id. */
      remove?: readonly Name[];
      /** Documents are removed in which one of these fields has an address of the person, as `emailKey` makes it. */
      removeByAddress?: readonly Name[];
      /**
       * The paths of actors. An actor that is the person keeps type and id, and gets another name. `defineModel` adds
       * the indexes that find these documents.
       */
      rename?: readonly string[];
      /** Such paths where an index of their own would cost too much: the service finds the documents (`erasuresOf`). */
      renameFound?: readonly string[];
    };

/** What becomes of a collection's documents when their workspace or a person is deleted. */
export interface Lifecycle<Name extends string = string> {
  workspace: WorkspaceRule<Name>;
  person: PersonRule<Name>;
}

/** What a model of `defineModel` says of its documents. Throws for another model. */
export function lifecycleOf(model: { modelName: string }): Lifecycle {
  if ('lifecycle' in model) return model.lifecycle as Lifecycle;
  throw new TypeError(`${model.modelName} does not say what becomes of its documents`);
}

/** Throws for a model that does not say what becomes of its documents, or leaves out one of its actors. */
export function assertLifecycle(
  name: string,
  schema: Schema,
  lifecycle: Lifecycle | undefined,
): void {
  for (const side of ['workspace', 'person'] as const) {
    const rule = lifecycle?.[side];
    const isEmpty = !rule || !Object.values(rule).some((value) => value?.length);
    if (isEmpty) throw new TypeError(`${name} does not say what becomes of it with its ${side}`);
    const unknown = fieldsOf(rule).filter((path) => !schema.path(path));
    if (unknown.length) throw new TypeError(`${name} has no field ${unknown.join(', ')}`);
  }
  const { rename, renameFound } = renamesOf(lifecycle);
  const renamed = [...rename, ...renameFound];
  const missing = actorPathsOf(schema).filter((path) => !renamed.includes(path));
  if (missing.length) throw new TypeError(`${name} does not rename ${missing.join(', ')}`);
}

function renamesOf(lifecycle: Lifecycle | undefined) {
  if (!lifecycle || 'keep' in lifecycle.person) return { rename: [], renameFound: [] };
  const { rename = [], renameFound = [] } = lifecycle.person;
  return { rename, renameFound };
}

/**
 * The indexes that find the actors to rename. An actor that is no person costs no key, except in lists, whose elements
 * an index cannot leave out.
 */
export const renameIndexesOf = (
  schema: Schema,
  lifecycle: Lifecycle,
): [IndexDefinition, IndexOptions][] =>
  renamesOf(lifecycle).rename.map((path) => [
    { [`${path}.id`]: 1, _id: 1 },
    {
      name: `${path} of persons`,
      ...(isInList(schema, path)
        ? {}
        : { partialFilterExpression: { [`${path}.type`]: 'person' } }),
    },
  ]);

/** Whether the path leads through a list. */
export const isInList = (
  schema: { path(name: string): { instance: string } | undefined },
  path: string,
): boolean => schema.path(path.split('.')[0] ?? '')?.instance === 'Array';

/** The fields that a change of a document sets, beside its own (`models/changed-document.ts`). */
const CHANGED_FIELDS = ['revision', 'updatedAt'];

function fieldsOf(rule: WorkspaceRule | PersonRule): readonly string[] {
  if ('keep' in rule || 'removeWith' in rule) return [];
  if ('clear' in rule) return [rule.clear, ...CHANGED_FIELDS];
  const removed = [rule.remove ?? []].flat();
  if (!('rename' in rule || 'renameFound' in rule || 'removeByAddress' in rule)) return removed;
  const { removeByAddress = [], rename = [], renameFound = [] } = rule;
  return [...removed, ...removeByAddress, ...rename, ...renameFound];
}

/** The fields of an actor (`models/actor.ts`), in alphabetical order. */
const ACTOR_FIELDS = 'id,name,type';

/** The paths of a schema that hold an actor. */
function actorPathsOf(schema: Schema, prefix = ''): string[] {
  return Object.entries(schema.paths).flatMap(([name, { schema: inner }]) => {
    if (!inner) return [];
    const path = `${prefix}${name}`;
    const isActor = Object.keys(inner.paths).sort().join() === ACTOR_FIELDS;
    return isActor ? [path] : actorPathsOf(inner, `${path}.`);
  });
}
