import type { ChangeContext } from '../../mixins/changes/change-context.ts';
import { createInSlot } from '../../mixins/database/quota-slots.ts';
import { RECORDING_QUOTA_INDEX } from '../../models/recording.model.ts';
import type { Params } from '../contracts.ts';
import type { Recording } from './contract/resources.ts';
import { findFreeRecordingSlot } from './recording-quotas.ts';
import { recordings } from './recordings.store.ts';
import { showRecording } from './show-recording.ts';

/** Begins a recording without events. A repetition answers that of the first attempt, also where the quota is full. */
export async function createRecording(
  { workspaceId, name, screen }: Params<'recordings.create'>,
  change: ChangeContext,
): Promise<Recording> {
  const earlier = change.reservedId === undefined ? null : await recordings.find(change.reservedId);
  if (earlier) return showRecording(earlier);
  const now = new Date();
  const wanted = {
    workspaceId,
    name,
    screen,
    currentScreen: screen,
    status: 'RECORDING' as const,
    nextSequence: 1,
    eventCount: 0,
    eventBytes: 0,
    createdBy: change.actor,
    createdAt: now,
    updatedAt: now,
    finishedAt: null,
  };
  const created = await createInSlot([RECORDING_QUOTA_INDEX], async () => {
    const slot = await findFreeRecordingSlot(workspaceId);
    return recordings.create({ ...wanted, ...slot }, change);
  });
  return showRecording(created);
}
