import { randomUUID } from 'node:crypto';
import { WORKSPACE_REMOVAL } from '../../../contract/audit.ts';
import { AuditEntryModel } from '../../../models/audit-entry.model.ts';
import { WorkspaceModel } from '../../../models/workspace.model.ts';
import { recordAudit } from '../../../services/workspaces/audit/record-audit.ts';
import { getWorkspace } from '../../../services/workspaces/get-workspace.ts';
import { removeWorkspace } from '../../../services/workspaces/remove-workspace.ts';
import { commandsOf } from '../../helpers/captured-commands.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { newWorkspace } from './fixtures.ts';

useDatabase([WorkspaceModel, AuditEntryModel]);

/** Milliseconds between a change and the delivery of its entry by an outbox that a crash has left. */
const LATE_MS = 120_000;

const entryOf = (workspaceId: number | null, ageMs: number, operation = 'issues.update') => ({
  id: randomUUID(),
  at: new Date(Date.now() - ageMs).toISOString(),
  workspaceId,
  actor: { type: 'person' as const, id: 1, name: 'Ada' },
  via: 'http' as const,
  operation,
  resource: { type: 'issue', id: 7 },
  changed: ['title'],
  requestId: null,
});

async function deletedWorkspace(): Promise<number> {
  const id = await newWorkspace(1);
  await removeWorkspace(await getWorkspace(id), changeContext());
  return id;
}

const commandsOfDelivery = (entries: Parameters<typeof recordAudit>[0]) =>
  commandsOf(() => recordAudit(entries));
const isStored = async ({ id }: { id: string }) => (await AuditEntryModel.findById(id)) !== null;

test('late entries of deleted workspaces are dropped, whether a tombstone is left or not', async () => {
  const [alive, removed, erased] = [
    await newWorkspace(1),
    await deletedWorkspace(),
    await deletedWorkspace(),
  ];
  await WorkspaceModel.deleteOne({ _id: erased });
  const kept = [entryOf(alive, LATE_MS), entryOf(null, LATE_MS), entryOf(erased, 0)];
  const dropped = [entryOf(removed, LATE_MS), entryOf(erased, LATE_MS)];
  await recordAudit([...dropped, ...kept]);
  expect(await Promise.all(kept.map(isStored))).toEqual([true, true, true]);
  expect(await Promise.all(dropped.map(isStored))).toEqual([false, false]);
});

test('the entry of the deletion itself is stored however late it comes', async () => {
  const id = await deletedWorkspace();
  await WorkspaceModel.deleteOne({ _id: id });
  const removal = entryOf(id, LATE_MS, WORKSPACE_REMOVAL);
  expect(await commandsOfDelivery([removal])).toEqual(['insert']);
  expect(await isStored(removal)).toBe(true);
});

test('a delivery in time costs one command, and a late one of many workspaces two', async () => {
  const [one, other] = [await newWorkspace(1), await newWorkspace(1)];
  expect(await commandsOfDelivery([entryOf(one, 0), entryOf(other, 0)])).toEqual(['insert']);
  const late = [entryOf(one, LATE_MS), entryOf(other, LATE_MS), entryOf(one, LATE_MS)];
  expect(await commandsOfDelivery(late)).toEqual(['find', 'insert']);
  expect(await commandsOfDelivery([entryOf(await deletedWorkspace(), LATE_MS)])).toEqual(['find']);
  expect(await commandsOfDelivery([])).toEqual([]);
});
