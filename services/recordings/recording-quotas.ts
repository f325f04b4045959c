import type { Problem } from '../../contract/problem.ts';
import { QuotaReached, quotaProblem } from '../../contract/quota.ts';
import { environment } from '../../environment/environment.ts';
import { RecordingModel } from '../../models/recording.model.ts';
import { chooseFreeSlot } from '../../support/quota-slot.ts';
import type { StoredRecording } from './recordings.store.ts';

/** Finds a quota slot that no recording of the workspace holds; none where there is no quota. */
export async function findFreeRecordingSlot(workspaceId: number): Promise<{ quotaSlot?: number }> {
  const limit = environment.RECORDINGS_PER_WORKSPACE;
  if (limit === null) return {};
  const holders = await RecordingModel.find({ workspaceId }, { quotaSlot: 1 }).limit(limit).lean();
  const slots = holders.map(({ quotaSlot }) => quotaSlot);
  const detail = `A workspace may have ${limit} recordings at most.`;
  const refusal = () => quotaProblem(QuotaReached, 'RECORDINGS_PER_WORKSPACE', limit, detail);
  return { quotaSlot: chooseFreeSlot(slots, limit, refusal) };
}

/** Throws `QUOTA_REACHED` where the recording has no room for these events. */
export function assertRoom(
  { eventCount, eventBytes }: Pick<StoredRecording, 'eventCount' | 'eventBytes'>,
  added: { eventCount: number; eventBytes: number },
): void {
  const { EVENTS_PER_RECORDING: events, BYTES_PER_RECORDING: bytes } = environment;
  if (events !== null && eventCount + added.eventCount > events) {
    throw full('EVENTS_PER_RECORDING', events, `${events} events`);
  }
  if (bytes !== null && eventBytes + added.eventBytes > bytes) {
    throw full('BYTES_PER_RECORDING', bytes, `${bytes} bytes of events`);
  }
}

const full = (
  quota: 'EVENTS_PER_RECORDING' | 'BYTES_PER_RECORDING',
  limit: number,
  what: string,
): Problem => quotaProblem(QuotaReached, quota, limit, `A recording may have ${what} at most.`);
