import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { etagOf } from '../../contract/etag.ts';
import { defineEvent } from '../../contract/event.ts';
import { NotFound, Problem } from '../../contract/problem.ts';
import { Carrier } from '../../mixins/changes/carrier.ts';
import { changesOf } from '../../mixins/changes/change-store.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { eventMessage } from '../../mixins/changes/outbox.ts';
import { RefusedEntries } from '../../mixins/changes/refused-entries.ts';
import { changedFields, outboxIndex } from '../../models/changed-document.ts';
import { type DocumentOf, defineModel, field } from '../../models/define-model.ts';
import { changeContext } from '../helpers/change-context.ts';
import { useDatabase } from '../helpers/database.ts';
import { waitFor } from '../helpers/wait.ts';

const fields = {
  _id: field.number,
  workspaceId: field.number,
  label: field.string,
  weight: field.number,
  tags: field.optional(field.list(field.string)),
  secret: field.optional(field.string),
  ...changedFields,
};
type Box = DocumentOf<typeof fields>;
const lifecycle = { workspace: { keep: 'a test' }, person: { keep: 'a test' } };
const definition = { name: 'Box', collection: 'boxes', fields, indexes: [outboxIndex], lifecycle };
const BoxModel = defineModel(definition);
const LidModel = defineModel({ ...definition, name: 'Lid', collection: 'lids' });

const boxMade = defineEvent({
  name: 'box.made',
  payload: z.strictObject({ colour: z.string() }),
  delivery: 'one',
});
const missing = (id: number) => new Problem(NotFound, `There is no box ${id}.`);
const boxes = changesOf(BoxModel, { hidden: ['secret'], missing });
/** A store that no service carries on. */
const lids = changesOf(LidModel, { missing });
const change = changeContext();
const newBox = (label = 'a') => ({ workspaceId: 7, label, weight: 1, updatedAt: new Date(0) });
const show = ({ _id, label, weight }: Omit<Box, 'secret'>) => ({ id: _id, label, weight });
const codeOf = (error: unknown) => (error instanceof Problem ? error.type : error);
const failureOf = (work: Promise<unknown>) => work.then(() => 'done', codeOf);
const stored = (_id: number) => BoxModel.collection.findOne({ _id: _id as never });

useDatabase([BoxModel]);
beforeEach(async () => void (await BoxModel.deleteMany({})));

describe('create', () => {
  it('stores the document at revision 1, with the audit entry in its outbox', async () => {
    const { _id, revision } = await boxes.create(newBox(), change);
    expect(revision).toBe(1);
    expect((await stored(_id))?.outbox).toEqual([
      {
        id: expect.stringMatching(
          /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        ),
        at: expect.any(Date),
        call: 'workspaces.recordAudit',
        params: {
          actor: change.actor,
          via: 'http',
          operation: 'issues.update',
          resource: { type: 'issue', id: _id },
          workspaceId: 7,
          changed: [],
          requestId: 'request-1',
        },
      },
    ]);
  });

  it('takes the reserved id, and answers what an earlier attempt has stored with it', async () => {
    const reserved = changeContext({ reservedId: 12_345 });
    const first = await boxes.create(newBox('first'), reserved);
    const second = await boxes.create(newBox('second'), reserved);
    expect([first._id, second._id, second.label]).toEqual([12_345, 12_345, 'first']);
    expect(await BoxModel.countDocuments()).toBe(1);
  });

  it('fails with an id of its own that exists', async () => {
    const { _id } = await boxes.create(newBox(), change);
    const failure = boxes.create({ ...newBox(), _id }, change);
    await expect(failure).rejects.toThrow('duplicate key');
  });
});

describe('an id that is given again', () => {
  const crates = changesOf(BoxModel, { missing, incarnation: 'label' });
  const _id = 77;

  it('takes the place of a tombstone, whose outbox is kept', async () => {
    await crates.tryRemove(await crates.create({ ...newBox('first'), _id }, change), change);
    const again = await crates.create({ ...newBox('second'), _id }, change);
    expect(await crates.find(_id)).toEqual(again);
    expect(await stored(_id)).toMatchObject({ label: 'second', revision: 1 });
    expect((await stored(_id))?.outbox).toHaveLength(3);
    await expect(crates.create({ ...newBox(), _id }, change)).rejects.toThrow('duplicate key');
  });

  it('is no longer that of the document which was read, though its revision is the same', async () => {
    const first = await crates.create({ ...newBox('first'), _id }, change);
    await BoxModel.deleteOne({ _id });
    const second = await crates.create({ ...newBox('second'), _id }, change);
    expect(await crates.tryChange(first, { set: { weight: 2 } }, change)).toBeNull();
    expect(await crates.tryRemove(first, change)).toBeNull();
    expect(await crates.tryChange(second, { set: { weight: 2 } }, change)).toMatchObject({
      weight: 2,
    });
  });
});

describe('changeWhere', () => {
  it('writes without a read, as often as its condition holds', async () => {
    const { _id } = await boxes.create(newBox(), change);
    const rename = () => boxes.changeWhere(_id, { label: 'a' }, { set: { label: 'b' } }, change);
    expect(await rename()).toMatchObject({ label: 'b', revision: 2 });
    expect(await rename()).toBeNull();
    expect((await stored(_id))?.outbox).toHaveLength(2);
  });

  it('changes no document that is removed', async () => {
    const box = await boxes.create(newBox(), change);
    await boxes.remove(box, change);
    expect(await boxes.changeWhere(box._id, {}, { set: { label: 'b' } }, change)).toBeNull();
  });
});

describe('change', () => {
  it('raises the revision, sets the time, and names the fields that are shown', async () => {
    const box = await boxes.create(newBox(), change);
    const decide = () => ({ set: { label: 'b', secret: 's' }, unset: ['weight'] as const });
    const changed = await boxes.change(box, decide, change);
    expect(changed).toMatchObject({ label: 'b', revision: 2 });
    expect(changed.updatedAt.getTime()).toBeGreaterThan(0);
    expect(changed).not.toHaveProperty('secret');
    const entries = (await stored(box._id))?.outbox;
    expect(entries).toHaveLength(2);
    expect(entries[1].params.changed).toEqual(['label', 'weight']);
  });

  it('adds to lists and takes from them, and names another resource where that is given', async () => {
    const resource = { id: 'lid', workspaceId: 9 };
    const box = await boxes.create({ ...newBox(), tags: ['x', 'y'] }, change);
    const added = await boxes.tryChange(box, { addToSet: { tags: 'z' }, resource }, change);
    const taken = added && (await boxes.tryChange(added, { pull: { tags: 'x' } }, change));
    expect(taken?.tags).toEqual(['y', 'z']);
    const [, entry] = (await stored(box._id))?.outbox ?? [];
    expect(entry.params).toMatchObject({
      resource: { type: 'issue', id: 'lid' },
      workspaceId: 9,
      changed: ['tags'],
    });
  });

  it('writes nothing where nothing is to change', async () => {
    const box = await boxes.create(newBox(), change);
    expect(await boxes.change(box, () => null, change)).toBe(box);
    expect(await stored(box._id)).toMatchObject({ revision: 1, updatedAt: new Date(0) });
  });

  it('reads again and decides again when another process came first', async () => {
    const box = await boxes.create(newBox(), change);
    await BoxModel.updateOne({ _id: box._id }, { $set: { weight: 5 }, $inc: { revision: 1 } });
    const seen: number[] = [];
    const decide = ({ weight }: { weight: number }) => {
      seen.push(weight);
      return { set: { weight: weight + 1 } };
    };
    expect(await boxes.change(box, decide, change)).toMatchObject({ weight: 6, revision: 3 });
    expect(seen).toEqual([1, 5]);
  });

  it('loses none of many at once, each written once', async () => {
    const box = await boxes.create(newBox(), change);
    let decided = 0;
    const add = ({ weight }: { weight: number }) => {
      decided++;
      return { set: { weight: weight + 1 } };
    };
    await Promise.all(Array.from({ length: 50 }, () => boxes.change(box, add, change)));
    expect(await stored(box._id)).toMatchObject({ weight: 51, revision: 51 });
    expect(decided).toBe(50);
  });

  it('is refused as BUSY beyond what may wait, and when others always come first', async () => {
    const box = await boxes.create(newBox(), change);
    const gate = Promise.withResolvers<void>();
    const touch = async () => {
      await gate.promise;
      return { set: { label: 'x' } };
    };
    const ends: unknown[] = [];
    const changes = Array.from({ length: 120 }, async (_, index) => {
      const actor = { ...change.actor, id: index % 3 };
      ends.push(await failureOf(boxes.change(box, touch, { ...change, actor })));
    });
    await new Promise(setImmediate);
    expect(ends).toEqual(Array(19).fill('BUSY')); // one is made, 100 wait
    gate.resolve();
    await Promise.all(changes);
    const overtaken = async () => {
      await BoxModel.updateOne({ _id: box._id }, { $inc: { revision: 1 } });
      return { set: { label: 'y' } };
    };
    expect(await failureOf(boxes.change(box, overtaken, change))).toBe('BUSY');
    expect((await stored(box._id))?.label).toBe('x');
  });

  it('counts for the ETag that If-Match names only', async () => {
    const box = await boxes.create(newBox(), change);
    const ifMatch = etagOf(show(box));
    const decide = ({ weight }: { weight: number }) => ({ set: { weight: weight + 1 } });
    const write = () => boxes.change(box, decide, changeContext({ ifMatch }), show);
    const ends = await Promise.all([failureOf(write()), failureOf(write())]);
    expect(ends.sort()).toEqual(['PRECONDITION_FAILED', 'done']);
    expect(await stored(box._id)).toMatchObject({ weight: 2, revision: 2 });
  });

  it('fails where If-Match is given and nothing says what the ETag is of', async () => {
    const box = await boxes.create(newBox(), change);
    const failure = boxes.change(box, () => null, changeContext({ ifMatch: '"x"' }));
    await expect(failure).rejects.toThrow(TypeError);
  });

  it('is refused as BUSY at once where the outbox is full, whose document can still be removed', async () => {
    const box = await boxes.create(newBox(), change);
    const entry = { at: new Date(), call: 'workspaces.recordAudit', params: {} };
    const outbox = Array.from({ length: 499 }, (_, n) => ({ ...entry, id: `entry-${n}` }));
    await BoxModel.collection.updateOne({ _id: box._id as never }, { $set: { outbox } });
    let decided = 0;
    const decide = ({ weight }: { weight: number }) => {
      decided++;
      return { set: { weight: weight + 1 } };
    };
    const fuller = await boxes.change(box, decide, change);
    expect(await failureOf(boxes.change(fuller, decide, change))).toBe('BUSY');
    const touch = () => boxes.changeWhere(box._id, {}, { set: { weight: 9 } }, change);
    expect(await failureOf(touch())).toBe('BUSY');
    expect(decided).toBe(2);
    expect(await stored(box._id)).toMatchObject({ weight: 2, revision: 2 });
    await boxes.remove(fuller, change);
    expect((await stored(box._id))?.outbox).toHaveLength(501);
    expect(await failureOf(boxes.change(fuller, decide, change))).toBe('NOT_FOUND');
  });

  it('misses a full document that its condition or its revision does not match, as any other', async () => {
    const box = await boxes.create(newBox(), change);
    const entry = { at: new Date(), call: 'workspaces.recordAudit', params: {} };
    const outbox = Array.from({ length: 500 }, (_, n) => ({ ...entry, id: `entry-${n}` }));
    const fill = { $set: { outbox }, $inc: { revision: 1 } };
    await BoxModel.collection.updateOne({ _id: box._id as never }, fill);
    const update = { set: { label: 'a' } };
    expect(await boxes.changeWhere(box._id, { label: { $ne: 'a' } }, update, change)).toBeNull();
    expect(await boxes.tryChange(box, update, change)).toBeNull();
    const again = boxes.create({ ...newBox(), _id: box._id }, change);
    await expect(again).rejects.toThrow('duplicate key');
  });

  it('is refused as BUSY although the full outbox is carried on right after the write', async () => {
    const box = await boxes.create(newBox(), change);
    const entry = { at: new Date(), call: 'workspaces.recordAudit', params: {} };
    const outbox = Array.from({ length: 500 }, (_, n) => ({ ...entry, id: `entry-${n}` }));
    const _id = box._id as never;
    await BoxModel.collection.updateOne({ _id }, { $set: { outbox } });
    const { collection } = boxes;
    const { findOneAndUpdate } = collection;
    const spy = jest.spyOn(collection, 'findOneAndUpdate').mockImplementationOnce((async (
      ...args: Parameters<typeof findOneAndUpdate>
    ) => {
      const result = await findOneAndUpdate.apply(collection, args);
      await BoxModel.collection.updateOne({ _id }, { $set: { outbox: [] } });
      return result;
    }) as never);
    const touch = boxes.changeWhere(box._id, {}, { set: { weight: 9 } }, change);
    expect(await failureOf(touch)).toBe('BUSY');
    spy.mockRestore();
  });

  it('takes a document of an earlier version, which has no revision', async () => {
    await BoxModel.collection.insertOne({ _id: 9 as never, ...newBox() });
    const box = await boxes.find(9);
    if (!box) throw new Error('the box is missing');
    expect(await boxes.change(box, () => ({ set: { label: 'b' } }), change)).toMatchObject({
      label: 'b',
      revision: 1,
    });
  });
});

describe('remove', () => {
  it('leaves a tombstone with the outbox, which no read shows', async () => {
    const box = await boxes.create(newBox(), change);
    await boxes.remove(box, change, {
      messages: [{ event: 'box.removed', delivery: 'one', payload: {} }],
    });
    const tombstone = await stored(box._id);
    expect(Object.keys(tombstone ?? {}).sort()).toEqual(['_id', 'outbox', 'removedAt', 'revision']);
    expect(tombstone?.outbox).toHaveLength(3);
    expect(await boxes.find(box._id)).toBeNull();
  });

  it('deletes a document at once where nothing is to follow its removal', async () => {
    const silent = changeContext({ audit: { none: 'another entry says it' } });
    const box = await boxes.create(newBox(), silent);
    await boxes.remove(box, silent);
    expect(await stored(box._id)).toBeNull();
    const owing = await boxes.create(newBox(), change);
    await boxes.remove(owing, silent);
    expect(await stored(owing._id)).toMatchObject({
      removedAt: expect.any(Date),
      outbox: [{ call: 'workspaces.recordAudit' }],
    });
  });

  it('is 404 for whoever comes later, and refused by its check and by If-Match', async () => {
    const box = await boxes.create(newBox(), change);
    const stale = changeContext({ ifMatch: '"stale"' });
    expect(await failureOf(boxes.remove(box, stale, { show }))).toBe('PRECONDITION_FAILED');
    const check = () => {
      throw missing(0);
    };
    expect(await failureOf(boxes.remove(box, change, { check }))).toBe('NOT_FOUND');
    expect(await stored(box._id)).toMatchObject({ revision: 1 });
    await boxes.remove(box, change);
    expect(await failureOf(boxes.remove(box, change))).toBe('NOT_FOUND');
    expect(await failureOf(boxes.change(box, () => ({ set: {} }), change))).toBe('NOT_FOUND');
  });
});

describe('the service', () => {
  /** The resources of each call. */
  const calls: string[][] = [];
  /** The resource of each entry by the entry's id: an entry that is handed over again counts once. */
  const recorded = new Map<string, string>();
  const events: unknown[] = [];
  let refuse: (ids: string[]) => void | Promise<void> = () => undefined;
  let pause: Promise<void> | undefined;
  let broker: ServiceBroker;

  beforeAll(async () => {
    broker = new ServiceBroker({ logger: false });
    broker.createService({
      name: 'workspaces',
      actions: {
        async recordAudit(ctx) {
          const { entries } = ctx.params as { entries: { id: string; resource: { id: number } }[] };
          const ids = entries.map(({ resource }) => String(resource.id));
          await refuse(ids);
          await pause;
          calls.push(ids);
          for (const { id, resource } of entries) recorded.set(id, String(resource.id));
          return null;
        },
      },
      events: { 'box.made': (ctx: { params: unknown }) => void events.push(ctx.params) },
    });
    broker.createService({ name: 'boxes', mixins: [Changes(boxes) as ServiceSchema] });
    await broker.start();
  });
  afterAll(() => broker.stop());
  beforeEach(() => {
    calls.length = 0;
    recorded.clear();
    events.length = 0;
    refuse = () => undefined;
    pause = undefined;
  });

  const isSettled = async (model = BoxModel) =>
    (await model.collection.countDocuments({ 'outbox.0': { $exists: true } })) === 0;

  it('carries on what is written at once together, and empties the outboxes', async () => {
    const made = [eventMessage(boxMade, { colour: 'red' })];
    await Promise.all(['a', 'b', 'c'].map((one) => boxes.create(newBox(one), change, () => made)));
    await waitFor('the carrier', isSettled);
    expect(calls.map((ids) => ids.length)).toEqual([3]);
    expect(recorded.size).toBe(3);
    expect(events).toEqual([{ colour: 'red' }, { colour: 'red' }, { colour: 'red' }]);
  });

  it('gathers longer what comes while others are carried on', async () => {
    const gatherings: { ms: number; end: () => void }[] = [];
    const gather = (ms: number) => new Promise<void>((end) => void gatherings.push({ ms, end }));
    const carrier = new Carrier(broker, 'lids', lids, undefined, gather);
    carrier.start();
    let second: Promise<unknown> | undefined;
    refuse = async () => {
      second ??= lids.create(newBox('b'), change);
      await second;
    };
    await lids.create(newBox('a'), change);
    gatherings[0]?.end();
    await waitFor('the second gathering', () => gatherings.length === 2);
    await lids.create(newBox('c'), change);
    gatherings[1]?.end();
    await waitFor('the carrier', () => isSettled(LidModel));
    await carrier.stop();
    expect(calls.map((ids) => ids.length)).toEqual([1, 2]);
    const [first, later] = gatherings.map(({ ms }) => ms);
    expect(gatherings).toHaveLength(2);
    expect(later).toBeGreaterThan(first ?? 0);
  });

  it('stops once what it is handing over has been carried on', async () => {
    const carrier = new Carrier(broker, 'lids', lids, undefined, async () => undefined);
    carrier.start();
    const [called, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    pause = goOn.promise;
    refuse = () => called.resolve();
    await lids.create(newBox('a'), change);
    await called.promise;
    let isStopped = false;
    const stopped = carrier.stop().then(() => {
      isStopped = true;
    });
    await nextTurn();
    expect(isStopped).toBe(false);
    goOn.resolve();
    await stopped;
    await waitFor('the carrier', () => isSettled(LidModel));
  });

  it('empties the outbox of a document that is changed before it is carried on', async () => {
    const box = await boxes.create(newBox(), change);
    await boxes.create(newBox('other'), change);
    await boxes.change(box, () => ({ set: { label: 'b' } }), change);
    await waitFor('the carrier', isSettled);
    expect(recorded.size).toBe(3);
  });

  it('deletes a tombstone once all of its outbox is carried on', async () => {
    const box = await boxes.create(newBox(), change);
    await boxes.remove(box, change);
    await waitFor('the carrier', async () => (await stored(box._id)) === null);
    expect([...recorded.values()]).toEqual([String(box._id), String(box._id)]);
  });

  it('carries on each entry once when a document is removed while its creation is carried on', async () => {
    let goOn: () => void = () => undefined;
    pause = new Promise((resolve) => {
      goOn = resolve;
    });
    const begun: string[] = [];
    refuse = (ids) => void begun.push(...ids);
    const made = [eventMessage(boxMade, { colour: 'blue' })];
    const box = await boxes.create(newBox(), change, () => made);
    await waitFor('the first call', async () => begun.length === 1);
    await boxes.remove(box, change);
    goOn();
    await waitFor('the carrier', async () => (await stored(box._id)) === null, 15_000);
    expect(calls.flat()).toEqual([String(box._id), String(box._id)]);
    expect(events).toEqual([{ colour: 'blue' }]);
  });

  it('keeps events while the transporter, which would drop them, has no connection', async () => {
    const own = broker as { transit: unknown };
    const { transit } = own;
    own.transit = { tx: { connected: false } };
    const made = [eventMessage(boxMade, { colour: 'green' })];
    const box = await boxes.create(newBox(), change, () => made);
    await waitFor('the call', async () => recorded.size > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(events).toEqual([]);
    expect((await stored(box._id))?.outbox).toHaveLength(2);
    own.transit = transit;
    await waitFor('the sweep', isSettled, 15_000);
    expect(events).toEqual([{ colour: 'green' }]);
  });

  it('hands over a long outbox in several calls', async () => {
    const at = new Date(Date.now() - 60_000);
    const outbox = Array.from({ length: 450 }, (_, n) => ({
      id: `long-${n}`,
      at,
      call: 'workspaces.recordAudit',
      params: { resource: { id: 31 } },
    }));
    await BoxModel.collection.insertOne({ _id: 31 as never, ...newBox(), revision: 450, outbox });
    await waitFor('the carrier', isSettled, 15_000);
    expect(calls.map((ids) => ids.length)).toEqual([200, 200, 50]);
  });

  it('finds in its sweep what a process that was killed has left', async () => {
    const at = new Date(Date.now() - 60_000);
    const entry = (_id: number) => ({
      id: `entry-${_id}`,
      at,
      call: 'workspaces.recordAudit',
      params: { resource: { id: _id } },
    });
    await BoxModel.collection.insertMany([
      { _id: 1 as never, ...newBox(), revision: 1, outbox: [entry(1)] },
      { _id: 2 as never, revision: 2, removedAt: at, outbox: [entry(2)] },
    ]);
    await waitFor('the carrier', isSettled, 15_000);
    expect([...recorded.values()].sort()).toEqual(['1', '2']);
    expect([await stored(1), await stored(2)]).toEqual([expect.anything(), null]);
  });

  it('hands a refused entry over again after a backoff, and the others at once', async () => {
    let now = 0;
    const logged: unknown[] = [];
    const refused = new RefusedEntries({ error: (line) => void logged.push(line) }, () => now);
    const carrier = new Carrier(broker, 'lids', lids, refused);
    const entry = (id: number) => ({
      id: `entry-${id}`,
      at: new Date(Date.now() - 60_000),
      call: 'workspaces.recordAudit',
      params: { resource: { id } },
    });
    const insert = (_id: number, ...outbox: object[]) =>
      LidModel.collection.insertOne({ _id: _id as never, ...newBox(), revision: 1, outbox });
    const offered: string[] = [];
    refuse = (ids) => {
      offered.push(...ids);
      if (ids.includes('51')) throw new Error('no');
    };
    const offeredBySweep = async () => {
      offered.length = 0;
      await carrier.sweep();
      return [...offered];
    };
    await insert(51, entry(51));
    expect(await offeredBySweep()).toEqual(['51']);
    now = 9_999;
    const second = { outbox: [entry(51), entry(52)] };
    await LidModel.collection.updateOne({ _id: 51 as never }, { $set: second });
    expect(await offeredBySweep()).toEqual(['52']);
    now = 10_000;
    expect(await offeredBySweep()).toEqual(['51']);
    now = 29_999;
    expect(await offeredBySweep()).toEqual([]);
    now = 30_000;
    refuse = () => undefined;
    await carrier.sweep();
    expect((await LidModel.collection.findOne({ _id: 51 as never }))?.outbox).toEqual([]);
    expect(logged).toHaveLength(1);
  });

  it('keeps what is refused, and only that', async () => {
    refuse = (ids) => {
      if (ids.includes('21')) throw new Error('no');
    };
    await Promise.all([20, 21, 22].map((_id) => boxes.create({ ...newBox(), _id }, change)));
    await waitFor('the carrier', async () => recorded.size === 2);
    await waitFor('the carrier', async () => !(await stored(22))?.outbox);
    const left = await Promise.all(
      [20, 21, 22].map(async (id) => (await stored(id))?.outbox?.length ?? 0),
    );
    expect(left).toEqual([0, 1, 0]);
  });
});
