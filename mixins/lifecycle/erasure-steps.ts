import type { ErasureDocument } from '../../models/erasure.model.ts';
import { isInList, lifecycleOf, type PersonRule } from '../../models/lifecycle.ts';
import {
  type AnyModel,
  collectionOf,
  type DocumentId,
  type Filter,
  idsOf,
  type Left,
  remove,
  type Write,
  writeByIndex,
  writeInOrder,
} from './erasure-batches.ts';
import { renameActor, renameInList } from './rename-actors.ts';

/** Owners, such as runs, of one batch: the documents that belong to them are removed one owner at a time. */
const OWNERS_SIZE = 50;

/** The workspace or the person of an erasure, and whether the pass is the last one. */
export type Target = Pick<ErasureDocument, 'targetId' | 'addresses' | 'requestedAt'> & {
  isLastPass: boolean;
};
/**
 * Work before the documents of a deleted workspace are removed from a collection. False where the work goes on, and
 * the hook is to be called again soon. An error is logged, and the hook is called again later.
 */
export type WorkspaceHook = (target: Target) => Promise<boolean>;
/**
 * Finds documents in which an actor may be the person (`renameFound`): a page of them, and the cursor of the next page.
 * A document whose outbox has an entry need not be found.
 */
export type ActorFinder = (
  target: Target,
  after: DocumentId | null,
) => Promise<{ ids: DocumentId[]; after: string | null }>;
/** What a service adds to the rules of its models, by the names of their collections. */
export interface ErasureTools {
  hooks?: Readonly<Record<string, WorkspaceHook>>;
  finders?: Readonly<Record<string, ActorFinder>>;
}

/** A step of an erasure in one collection. `take` handles one batch. */
export interface ErasureStep {
  name: string;
  take(target: Target, after: DocumentId | null): Promise<Left>;
}

/** A hook's work goes on; the erasure is to be continued soon. */
export class Unfinished extends Error {}

/** The steps by which the documents of a deleted workspace are removed, or lose its id. */
export function workspaceSteps(
  models: readonly AnyModel[],
  hooks: ErasureTools['hooks'] = {},
): ErasureStep[] {
  assertKnown(models, hooks);
  return models.flatMap((model) => {
    const hook = hooks[nameOf(model)];
    return [...(hook ? [hookStep(model, hook)] : []), ...removalSteps(model, models)];
  });
}

function assertKnown(models: readonly AnyModel[], tools: Readonly<Record<string, unknown>>): void {
  const known = new Set(models.map(nameOf));
  const unknown = Object.keys(tools).filter((name) => !known.has(name));
  if (unknown.length) throw new TypeError(`there is no collection ${unknown.join(', ')}`);
}

const hookStep = (model: AnyModel, hook: WorkspaceHook): ErasureStep => ({
  name: `${nameOf(model)}: hook`,
  async take(target) {
    if (!(await hook(target))) throw new Unfinished();
    return null;
  },
});

function removalSteps(model: AnyModel, models: readonly AnyModel[]): ErasureStep[] {
  const rule = lifecycleOf(model).workspace;
  if ('clear' in rule) return [clearStep(model, rule.clear)];
  if (!('remove' in rule)) return [];
  assertIndexed(model, rule.remove);
  const name = `${nameOf(model)}: remove`;
  const filterOf = (workspaceId: number): Filter => ({ [rule.remove]: workspaceId });
  if (rule.except) {
    const kept = { $nor: [rule.except] };
    const take = ({ targetId }: Target) =>
      writeByIndex(model, { ...filterOf(targetId), ...kept }, remove);
    return [{ name, take }];
  }
  const parts = partsOf(model, models);
  if (parts.length) {
    const take = ({ targetId, isLastPass }: Target) =>
      isLastPass ? removeWithParts(model, filterOf(targetId), parts) : Promise.resolve(null);
    return [{ name, take }];
  }
  return [removalStep(model, rule.remove, name)];
}

/** Clears the field in documents that stay. The new revision makes a change fail that was decided before. */
function clearStep(model: AnyModel, field: string): ErasureStep {
  assertIndexed(model, field);
  return {
    name: `${nameOf(model)}: clear ${field}`,
    take({ targetId }) {
      const filter = { [field]: targetId };
      const clear: Write = (collection, some) =>
        collection.updateMany(
          { ...some, ...filter },
          { $set: { [field]: null, updatedAt: new Date() }, $inc: { revision: 1 } },
        );
      return writeByIndex(model, filter, clear);
    },
  };
}

interface Part {
  model: AnyModel;
  where: (ownerId: number) => Filter;
}

/** The collections whose documents belong to documents of this collection. */
const partsOf = (owner: AnyModel, models: readonly AnyModel[]): Part[] =>
  models.flatMap((model) => {
    const { workspace } = lifecycleOf(model);
    const isPart = 'removeWith' in workspace && workspace.removeWith === nameOf(owner);
    return isPart ? [{ model, where: workspace.where }] : [];
  });

/**
 * Removes documents, and before each of them the documents that belong to it. Only the last pass does so: a late
 * request can still write a part, and without its owner nothing would find that part.
 */
async function removeWithParts(
  model: AnyModel,
  filter: Filter,
  parts: readonly Part[],
): Promise<Left> {
  const ids = await idsOf(model, filter, OWNERS_SIZE);
  for (const id of ids) {
    for (const part of parts) {
      while (await writeByIndex(part.model, part.where(Number(id)), remove));
    }
  }
  if (ids.length) await remove(collectionOf(model), { _id: { $in: ids } });
  return ids.length < OWNERS_SIZE ? null : { after: null };
}

/** The steps by which a deleted person is removed, and renamed where history keeps the person's id. */
export function personSteps(
  models: readonly AnyModel[],
  finders: ErasureTools['finders'] = {},
): ErasureStep[] {
  assertKnown(models, finders);
  return models.flatMap((model) => {
    const rule = lifecycleOf(model).person;
    const own = 'keep' in rule ? [] : ruleSteps(model, rule, partsOf(model, models));
    const outbox = model.schema.path('outbox') ? [outboxStep(model)] : [];
    const found = 'renameFound' in rule ? (rule.renameFound ?? []) : [];
    return [
      ...own,
      ...found.flatMap((path) => foundSteps(model, path, finders[nameOf(model)])),
      ...outbox,
    ];
  });
}

function ruleSteps(
  model: AnyModel,
  rule: Exclude<PersonRule, { keep: string }>,
  parts: readonly Part[],
): ErasureStep[] {
  const { remove: fields = [], removeByAddress = [], rename = [] } = rule;
  return [
    ...fields.map((field) => personalStep(model, field, parts)),
    ...removeByAddress.map((field) => addressStep(model, field)),
    ...rename.map((path) => renameStep(model, path)),
  ];
}

/**
 * Renames the actor in documents that a finder finds, and before that in those with an entry in their outbox: what the
 * finder goes by may be recorded by that entry.
 */
function foundSteps(model: AnyModel, path: string, find: ActorFinder | undefined): ErasureStep[] {
  const name = `${nameOf(model)}: rename ${path}`;
  if (!find) throw new TypeError(`nothing finds the documents of "${name}"`);
  const waiting: ErasureStep = {
    name: `${name} beside outboxes`,
    take({ targetId }) {
      const { filter, write } = renameActor(path, targetId);
      return writeByIndex(model, { ...HAS_OUTBOX, ...filter }, write({}));
    },
  };
  const found: ErasureStep = {
    name,
    async take(target, after) {
      const { ids, after: next } = await find(target, after);
      const { write } = renameActor(path, target.targetId);
      if (ids.length) await write({})(collectionOf(model), { _id: { $in: ids } });
      return next === null ? null : { after: next };
    },
  };
  return model.schema.path('outbox') ? [waiting, found] : [found];
}

/** Removes the documents of a person, and with each of them the documents that belong to it. */
function personalStep(model: AnyModel, field: string, parts: readonly Part[]): ErasureStep {
  assertIndexed(model, field);
  const name = `${nameOf(model)}: remove by ${field}`;
  if (parts.length === 0) return removalStep(model, field, name);
  const take = ({ targetId, isLastPass }: Target) =>
    isLastPass ? removeWithParts(model, { [field]: targetId }, parts) : Promise.resolve(null);
  return { name, take };
}

const removalStep = (model: AnyModel, field: string, name: string): ErasureStep => ({
  name,
  take: ({ targetId }) => writeByIndex(model, { [field]: targetId }, remove),
});

/** Removes documents of the person's addresses, but none of a later account with such an address. */
function addressStep(model: AnyModel, field: string): ErasureStep {
  assertIndexed(model, field);
  const isDated = model.schema.path('createdAt') !== undefined;
  return {
    name: `${nameOf(model)}: remove by ${field}`,
    async take({ addresses, requestedAt }) {
      if (!addresses.length) return null;
      const earlier = isDated ? { createdAt: { $lte: requestedAt } } : {};
      const filter = { [field]: { $in: addresses }, ...earlier };
      return writeByIndex(model, filter, remove);
    },
  };
}

function renameStep(model: AnyModel, path: string): ErasureStep {
  const [first = '', ...rest] = path.split('.');
  const isList = isInList(model.schema, path);
  return {
    name: `${nameOf(model)}: rename ${path}`,
    take: ({ targetId }, after) => {
      const { filter, write } = isList
        ? renameInList(first, rest.join('.'), targetId)
        : renameActor(path, targetId);
      // A change writes a list as a whole: the new revision makes one fail that was decided before.
      const raise = isList && model.schema.path('revision') ? { $inc: { revision: 1 } } : {};
      return writeInOrder(model, { filter, after }, write(raise));
    },
  };
}

/** Matches documents with entries in their outbox, by the index of outboxes. */
const HAS_OUTBOX: Filter = { 'outbox.at': { $gt: new Date(0) } };

/** Renames the actor of entries that wait in outboxes. */
const outboxStep = (model: AnyModel): ErasureStep => ({
  name: `${nameOf(model)}: rename in outboxes`,
  take({ targetId }) {
    const { filter, write } = renameInList('outbox', 'params.actor', targetId);
    return writeByIndex(model, { ...HAS_OUTBOX, ...filter }, write({}));
  },
});

/** Throws where no index that covers all documents begins with the field. */
function assertIndexed(model: AnyModel, field: string): void {
  const isIndexed = model.schema
    .indexes()
    .some(
      ([keys, options]) =>
        Object.keys(keys)[0] === field && !options.sparse && !options.partialFilterExpression,
    );
  if (isIndexed || field === '_id') return;
  throw new TypeError(`no index finds the documents of ${nameOf(model)} by ${field}`);
}

const nameOf = (model: AnyModel): string => collectionOf(model).collectionName;
