import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { DELETED_ACTOR_NAME } from '../../contract/deleted-user.ts';
import { entryIdPrefix, RECORD_AUDIT } from '../../mixins/changes/outbox.ts';
import type { AnyModel } from '../../mixins/lifecycle/erasure-batches.ts';
import { personSteps, type Target } from '../../mixins/lifecycle/erasure-steps.ts';
import { AuditEntryModel } from '../../models/audit-entry.model.ts';
import { isInList, lifecycleOf } from '../../models/lifecycle.ts';
import { RunModel } from '../../models/run.model.ts';
import { findStarts } from '../../services/runs/find-starts.ts';
import { findNamedEntries, listActs } from '../../services/workspaces/audit/acts.ts';
import { captureCommands, examinedBy } from '../helpers/captured-commands.ts';
import { startTestDatabase, type TestDatabase } from '../helpers/database.ts';

/** Runs, and audit entries of their starts, of others than the person. */
const OTHERS_RUNS = 20_000;
/** Documents of others in each other collection. */
const OTHERS = 2_600;
/** Documents of the person in each collection: more than one batch of them. */
const OWN = 520;

const ADA = { type: 'person', id: 7, name: 'Ada' } as const;
/** The others: another person, and a schedule with the id of the person. Lists have no schedule: no index tells them apart. */
const OTHER_ACTORS = [
  { type: 'person', id: 8, name: 'Grace' },
  { type: 'system', id: ADA.id, name: 'schedule' },
] as const;

type Stored = Record<string, unknown> & { _id: number | string };

const MODELS = join(import.meta.dirname, '../../models');
let database: TestDatabase | undefined;
beforeAll(async () => {
  for (const file of readdirSync(MODELS)) {
    if (file.endsWith('.model.ts')) await import(join(MODELS, file));
  }
  database = await startTestDatabase(modelsWithActors());
  for (const model of modelsWithActors()) await fill(model);
}, 300_000);
afterAll(() => database?.end());

const modelsWithActors = (): (AnyModel & mongoose.Model<unknown>)[] =>
  Object.values(mongoose.models).filter((model) => pathsOf(model).length > 0);

function pathsOf(model: AnyModel): string[] {
  const { person } = lifecycleOf(model);
  if ('keep' in person) return [];
  return [...(person.rename ?? []), ...(person.renameFound ?? [])];
}

const collectionOf = (model: AnyModel) => model.collection as mongoose.mongo.Collection<Stored>;

const othersOf = (model: AnyModel): number =>
  model === RunModel || model === AuditEntryModel ? OTHERS_RUNS : OTHERS;

/** Stores documents with an actor at each path: those of the person among those of others. */
async function fill(model: AnyModel): Promise<void> {
  const others = othersOf(model);
  const every = Math.floor((others + OWN) / OWN);
  const documents = Array.from({ length: others + OWN }, (_, n) => {
    const isOwn = n % every === 0 && n < OWN * every;
    return newDocument(model, n, isOwn ? ADA : OTHER_ACTORS[n % 2 ? 1 : 0]);
  });
  for (let at = 0; at < documents.length; at += 5_000) {
    await collectionOf(model).insertMany(documents.slice(at, at + 5_000), { ordered: false });
  }
}

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const WORKSPACES = 3;

function newDocument(model: AnyModel, n: number, actor: object): Stored {
  const workspaceId = 1 + (n % WORKSPACES);
  const unique = uniqueFieldsOf(model).map((field) => [field, n]);
  const document: Stored = { _id: n + 1, ...Object.fromEntries(unique), workspaceId };
  for (const path of pathsOf(model)) set(model, document, path, actor);
  if (model !== AuditEntryModel) return document;
  const _id = `${entryIdPrefix(BEGIN + n)}-7000-8000-000000000000`;
  const resource = { type: 'run', id: n + 1 };
  return { ...document, _id, workspaceId: n % 4 ? workspaceId : null, resource };
}

const uniqueFieldsOf = (model: AnyModel): string[] =>
  (model as unknown as mongoose.Model<unknown>).schema
    .indexes()
    .filter(([, { unique }]) => unique)
    .flatMap(([keys]) => Object.keys(keys));

const elementOf = (actor: object): object => (actor === OTHER_ACTORS[1] ? OTHER_ACTORS[0] : actor);

/** Sets the actor at the path; in a list, of the second of its elements. */
function set(model: AnyModel, document: Stored, path: string, actor: object): void {
  const [first = '', last] = path.split('.');
  if (last === undefined) document[first] = actor;
  else if (isInList(model.schema, path))
    document[first] = [{ [last]: null }, { [last]: elementOf(actor) }];
  else document[first] = { [last]: actor };
}

const ERASED = { ...ADA, name: DELETED_ACTOR_NAME };
const countNamed = (model: AnyModel, path: string, actor: object) =>
  collectionOf(model).countDocuments({ [path]: actor });

const finders = {
  runs: findStarts(() => ({ ask: (_name: string, params: never) => listActs(params) }) as never),
  audit_entries: findNamedEntries,
};
const targetOf = (isLastPass: boolean, requestedAt = new Date()): Target => ({
  targetId: ADA.id,
  addresses: [],
  requestedAt,
  isLastPass,
});

/** A pass of the erasure, a batch after the other. Calls back before each. */
async function pass(target: Target, models: readonly AnyModel[]): Promise<void> {
  const own = Object.fromEntries(
    Object.entries(finders).filter(([name]) =>
      models.some((model) => collectionOf(model).collectionName === name),
    ),
  );
  for (const step of personSteps(models, own)) {
    if (!/rename/.test(step.name)) continue;
    let left = await step.take(target, null);
    while (left) left = await step.take(target, left.after);
  }
}

/** The documents and keys that work examines, by collection. */
async function examinedIn(work: () => Promise<void>) {
  const captured = captureCommands();
  await work().finally(() => captured.stop());
  const sums = new Map<string, { documents: number; keys: number }>();
  for (const one of captured.all) {
    const { documents, keys } = await examinedBy(one);
    const collection = String(one.command[one.name]);
    const sum = sums.get(collection) ?? { documents: 0, keys: 0 };
    sums.set(collection, { documents: sum.documents + documents, keys: sum.keys + keys });
  }
  return sums;
}

test('the erasure of a person renames the actor in every collection, and examines what belongs to the person', async () => {
  const models = modelsWithActors();
  expect(models.length).toBeGreaterThan(15);
  const examined = await examinedIn(async () => {
    for (const isLastPass of [false, true]) await pass(targetOf(isLastPass), models);
  });
  const figures = models.map((model) => {
    const { collectionName } = collectionOf(model);
    const paths = pathsOf(model).length;
    const { documents = 0, keys = 0 } = examined.get(collectionName) ?? {};
    return [collectionName, documents / OWN / paths, keys / OWN / paths] as const;
  });
  for (const [name, documents, keys] of figures) {
    expect([name, documents <= 5, keys <= 5]).toEqual([name, true, true]);
  }
  for (const model of models) {
    for (const path of pathsOf(model)) {
      const counts = [ERASED, ...OTHER_ACTORS].map((actor) => countNamed(model, path, actor));
      const [erased, ...others] = await Promise.all(counts);
      expect(erased).toBe(OWN);
      expect(others.reduce((sum, count) => sum + count)).toBe(othersOf(model));
    }
  }
}, 300_000);

const RUNS = [RunModel, AuditEntryModel];
const startOf = (id: number, at: Date) => ({
  run: { _id: id, workspaceId: 1, startedBy: ADA },
  entry: {
    _id: `${entryIdPrefix(at.getTime())}-7000-8000-000000000000`,
    workspaceId: 1,
    actor: ADA,
    resource: { type: 'run', id },
  },
});
const starterOf = async (id: number) =>
  (await collectionOf(RunModel).findOne({ _id: id }))?.startedBy;

test('a run whose entry waits in its outbox is renamed with the entry', async () => {
  const { run, entry } = startOf(500_001, new Date());
  const { _id: id, ...params } = entry;
  const outbox = [{ id, at: new Date(), call: RECORD_AUDIT, params }];
  await collectionOf(RunModel).insertOne({ ...run, outbox });
  await pass(targetOf(false), RUNS);
  expect(await collectionOf(RunModel).findOne({ _id: run._id })).toMatchObject({
    startedBy: ERASED,
    outbox: [{ id, params: { actor: ERASED } }],
  });
});

test('the last pass renames what was started before the deletion and stored after the first pass', async () => {
  const requestedAt = new Date();
  await pass(targetOf(false, requestedAt), RUNS);
  const { run, entry } = startOf(500_002, new Date(requestedAt.getTime() - 60_000));
  await collectionOf(RunModel).insertOne(run);
  await collectionOf(AuditEntryModel).insertOne(entry);
  await pass(targetOf(true, requestedAt), RUNS);
  expect(await starterOf(run._id)).toEqual(ERASED);
  expect(await AuditEntryModel.findById(entry._id).lean()).toMatchObject({ actor: ERASED });
});
