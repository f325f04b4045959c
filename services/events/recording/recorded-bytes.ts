import { EventUsageModel } from '../../../models/event-usage.model.ts';

/** Bytes that a delivery takes at most: 4 KiB of an answer, and its other fields. */
const DELIVERY_BYTES = 5 * 1024;

/** An event that is recorded. */
export interface CountedEvent {
  workspaceId: number;
  body: string;
  deliveries: number;
}

/** The bytes that each workspace has recorded so far. */
export type RecordedBytes = ReadonlyMap<number, number>;

/**
 * Adds events, with their deliveries, to the bytes that their workspaces have recorded. Answers these bytes, and those with
 * each event, in the order of the events. Events that two processes count at once may have the same number.
 */
export async function countRecorded(
  events: readonly CountedEvent[],
): Promise<{ recorded: RecordedBytes; ofEvents: number[] }> {
  const added = new Map<number, number>();
  const ends = events.map((event) => {
    const end = (added.get(event.workspaceId) ?? 0) + bytesOf(event);
    added.set(event.workspaceId, end);
    return end;
  });
  const recorded = await add(added);
  const ofEvents = events.map(({ workspaceId }, at) => {
    const before = (recorded.get(workspaceId) ?? 0) - (added.get(workspaceId) ?? 0);
    return before + (ends[at] ?? 0);
  });
  return { recorded, ofEvents };
}

const bytesOf = ({ body, deliveries }: CountedEvent): number =>
  Buffer.byteLength(body) + deliveries * DELIVERY_BYTES;

/** Adds bytes, and reads the sums: two commands, however many workspaces there are. */
async function add(added: ReadonlyMap<number, number>): Promise<RecordedBytes> {
  if (!added.size) return new Map();
  const writes = [...added].map(([_id, recorded]) => ({
    updateOne: { filter: { _id }, update: { $inc: { recorded } }, upsert: true },
  }));
  await EventUsageModel.collection.bulkWrite(writes as never[], { ordered: false });
  const found = await EventUsageModel.find({ _id: { $in: [...added.keys()] } }).lean();
  return new Map(found.map(({ _id, recorded }) => [_id, recorded]));
}
