import type { Recording } from './contract/resources.ts';
import type { StoredRecording } from './recordings.store.ts';

export const showRecording = ({
  _id: id,
  screen: { width, height, scale },
  createdAt,
  finishedAt,
  ...recording
}: StoredRecording): Recording => ({
  id,
  workspaceId: recording.workspaceId,
  name: recording.name,
  screen: { width, height, scale },
  status: recording.status,
  nextSequence: recording.nextSequence,
  eventCount: recording.eventCount,
  createdBy: recording.createdBy,
  createdAt: createdAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
});
