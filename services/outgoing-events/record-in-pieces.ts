import type { RecordedEvent } from '../../contract/outgoing-event.ts';

/** Bytes of the events of one call, well below the largest message; further events take another call. */
const MAX_CALL_BYTES = 512 * 1024;

/** Records events in their order, by as many calls as their size needs: a call begins when the one before has ended. */
export async function recordInPieces(
  events: readonly RecordedEvent[],
  record: (piece: RecordedEvent[]) => Promise<unknown>,
): Promise<void> {
  let piece: RecordedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event));
    if (piece.length && bytes + size > MAX_CALL_BYTES) {
      await record(piece);
      piece = [];
      bytes = 0;
    }
    piece.push(event);
    bytes += size;
  }
  if (piece.length) await record(piece);
}
