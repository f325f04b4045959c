import { RECORD_AUDIT } from '../../mixins/changes/outbox.ts';
import { FlowModel } from '../../models/flow.model.ts';
import { FlowVersionModel } from '../../models/flow-version.model.ts';
import { createFlow } from '../../services/flows/create-flow.ts';
import { getFlow } from '../../services/flows/find-flow.ts';
import { updateFlow } from '../../services/flows/update-flow.ts';
import { newVersion } from '../../services/flows/versions/new-version.ts';
import { restoreVersion } from '../../services/flows/versions/restore-version.ts';
import { getContent, listVersions, versionForRun } from '../../services/flows/versions/versions.ts';
import { findVersionsToRun } from '../../services/flows/versions/versions-to-run.ts';
import { commandsOf } from '../helpers/captured-commands.ts';
import { changeContext } from '../helpers/change-context.ts';
import { useDatabase } from '../helpers/database.ts';

const BY = changeContext({ operation: 'flows.update', audit: { resource: 'flow' } });
const CHECKS = { assertCompiles: async () => 0 };
const fileOf = (value: number): string => `do:\n  - first:\n      set: { value: ${value} }\n`;

useDatabase([FlowModel, FlowVersionModel]);

/** A flow with one whole version and a second of which the process died before its row. */
async function flowWithLostRow(name: string): Promise<{ id: number; lost: number }> {
  const { id } = await createFlow({ workspaceId: 1, name, content: fileOf(1) }, BY, CHECKS);
  const version = await newVersion(fileOf(2), BY.actor, 2);
  await FlowModel.updateOne({ _id: id }, { $set: version });
  return { id, lost: version.versionId ?? 0 };
}

test('a version whose row was never written is listed, read and run like any other', async () => {
  const { id, lost } = await flowWithLostRow('listed');
  const { items } = await listVersions(await getFlow(id), { limit: 10 });
  expect(items.map((version) => version.id)[0]).toBe(lost);
  expect(items).toHaveLength(2);
  expect((await getFlow(id)).pendingVersion).toBeNull();

  const read = await flowWithLostRow('read');
  expect(await getContent(await getFlow(read.id), read.lost)).toBe(fileOf(2));

  const run = await flowWithLostRow('run');
  expect(await versionForRun(run.id)).toEqual({
    flow: { id: run.id, workspaceId: 1, name: 'run' },
    versionId: run.lost,
    content: fileOf(2),
  });
});

test('a pending version under the field name of earlier data is kept and listed', async () => {
  const { id, lost } = await flowWithLostRow('earlier data');
  await FlowModel.collection.updateOne({ _id: id } as never, {
    $rename: { pendingVersion: 'unsettled' },
  });
  const update = { flowId: id, content: fileOf(3) };
  const { versionId } = await updateFlow(await getFlow(id), update, BY, CHECKS);
  const flow = await getFlow(id);
  expect((await listVersions(flow, { limit: 10 })).items.map((version) => version.id)).toEqual([
    versionId,
    lost,
    expect.any(Number),
  ]);
  expect(await getContent(flow, lost)).toBe(fileOf(2));
  expect(flow.unsettled).toBeNull();
});

test('the next version does not overwrite it', async () => {
  const { id, lost } = await flowWithLostRow('next');
  const update = { flowId: id, content: fileOf(3) };
  const { versionId } = await updateFlow(await getFlow(id), update, BY, CHECKS);
  const { items } = await listVersions(await getFlow(id), { limit: 10 });
  expect(items.map((version) => version.id).slice(0, 2)).toEqual([versionId, lost]);
  expect(items).toHaveLength(3);
});

test('concurrent readers flush the same pending version once', async () => {
  const { id } = await flowWithLostRow('many readers');
  const flow = await getFlow(id);
  const pages = await Promise.all(
    Array.from({ length: 10 }, () => listVersions(flow, { limit: 10 })),
  );
  for (const { items } of pages) expect(items).toHaveLength(2);
});

test('a run of a version that the flow does not have, or of none, gets nothing', async () => {
  const { id } = await createFlow({ workspaceId: 1, name: 'empty' }, BY, CHECKS);
  expect(await versionForRun(id)).toMatchObject({ versionId: null, content: null });
  const other = await createFlow({ workspaceId: 1, name: 'other', content: fileOf(1) }, BY, CHECKS);
  expect(await versionForRun(id, other.versionId ?? 0)).toMatchObject({ versionId: null });
  await expect(versionForRun(999_999)).rejects.toMatchObject({ type: 'NOT_FOUND' });
});

describe('starts of runs', () => {
  const flowOf = async (name: string, content?: string) =>
    createFlow({ workspaceId: 1, name, ...(content ? { content } : {}) }, BY, CHECKS);
  const long = (value: number) => `${fileOf(value)}# ${'x'.repeat(200 * 1024)}\n`;

  test('load flow and file together, each for its own flow, also of a version without its row', async () => {
    const { id, lost } = await flowWithLostRow('start');
    const first = (await listVersions(await getFlow(id), { limit: 10 })).items[1]?.id ?? 0;
    const other = await flowOf('of another flow', fileOf(7));
    const empty = await flowOf('without a version');
    const pending = await flowWithLostRow('start of a pending version');
    const starts = [
      { flowId: id },
      { flowId: id, versionId: first },
      { flowId: id, knownVersionId: lost },
      { flowId: id, knownVersionId: first },
      { flowId: id, versionId: other.versionId ?? 0 },
      { flowId: empty.id },
      { flowId: pending.id },
      { flowId: 999_999 },
    ];
    const flow = { id, workspaceId: 1, name: 'start' };
    expect(await findVersionsToRun(starts)).toEqual([
      { flow, versionId: lost, content: fileOf(2) },
      { flow, versionId: first, content: fileOf(1) },
      { flow, versionId: lost },
      { flow, versionId: lost, content: fileOf(2) },
      { flow, versionId: null, content: null },
      { flow: expect.objectContaining({ id: empty.id }), versionId: null, content: null },
      {
        flow: expect.objectContaining({ id: pending.id }),
        versionId: pending.lost,
        content: fileOf(2),
      },
      null,
    ]);
  });

  test('get no more files together than an answer holds', async () => {
    const flows = [await flowOf('long', long(1)), await flowOf('longer', long(2))];
    const found = await findVersionsToRun(flows.map(({ id }) => ({ flowId: id })));
    expect(found.map((version) => version?.versionId)).toEqual(flows.map((one) => one.versionId));
    expect(found.filter((version) => version?.content)).toHaveLength(1);
    expect(found.filter((version) => version?.content === undefined)).toHaveLength(1);
  });
});

test('a write names the changed fields for the audit log, in no command of its own', async () => {
  const { id } = await createFlow({ workspaceId: 1, name: 'audited' }, BY, CHECKS);
  const costOf = async (update: object) => {
    const flow = await getFlow(id);
    return (await commandsOf(() => updateFlow(flow, { flowId: id, ...update }, BY, CHECKS))).length;
  };
  expect(await costOf({ name: 'audited', description: '' })).toBe(0);
  expect(await costOf({ description: 'new' })).toBe(1);
  expect(await costOf({ name: 'renamed', content: fileOf(1) })).toBe(3);
  const { outbox, revision } = (await FlowModel.findById(id).lean()) ?? {};
  expect(revision).toBe(3);
  const fields = [[], ['description'], ['name', 'content']];
  const audited = outbox?.filter((entry) => 'call' in entry && entry.call === RECORD_AUDIT);
  expect(audited).toEqual(
    fields.map((changed) =>
      expect.objectContaining({
        call: 'workspaces.recordAudit',
        params: expect.objectContaining({ resource: { type: 'flow', id }, changed }),
      }),
    ),
  );
  expect(JSON.stringify(audited)).not.toContain('renamed');
});

test('a repeated restore whose first attempt has stored its version stores no other', async () => {
  const { id, versionId } = await createFlow(
    { workspaceId: 1, name: 'restored', content: fileOf(1) },
    BY,
    CHECKS,
  );
  const second = { flowId: id, content: fileOf(2) };
  const { versionId: other } = await updateFlow(await getFlow(id), second, BY, CHECKS);
  const restore = async (version: number | null, reservedId: number) =>
    restoreVersion(await getFlow(id), version ?? 0, { ...BY, reservedId }, CHECKS);
  expect(await restore(versionId, 900_001)).toMatchObject({ versionId: 900_001 });
  await restore(other, 900_002); // by another person, before the repetition
  expect(await restore(versionId, 900_001)).toMatchObject({ versionId: 900_002 });
  const { items } = await listVersions(await getFlow(id), { limit: 10 });
  expect(items.map((version) => version.id)).toEqual([900_002, 900_001, other, versionId]);
});
