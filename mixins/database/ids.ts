import { SequenceModel } from '../../models/sequence.model.ts';

/** Ids that a process takes at once. A restart leaves a gap of at most this size. */
const BLOCK = 100;

interface Block {
  next: number;
  end: number;
}
const blocks = new Map<string, Block>();
const refills = new Map<string, Promise<void>>();

/**
 * Draws the next id of a collection, a positive integer. Each process takes blocks of ids (hi-lo), so that most ids
 * cost no round trip. Ids of different processes are not in order of time.
 */
export async function nextId(sequence: string): Promise<number> {
  for (;;) {
    const block = blocks.get(sequence);
    if (block && block.next < block.end) return block.next++;
    await refill(sequence);
  }
}

/** Takes a new block of a sequence. Concurrent calls for one sequence share one refill. */
function refill(sequence: string): Promise<void> {
  const running = refills.get(sequence);
  if (running) return running;
  const refilling = takeBlock(sequence).finally(() => refills.delete(sequence));
  refills.set(sequence, refilling);
  return refilling;
}

async function takeBlock(sequence: string): Promise<void> {
  const { next } = await SequenceModel.findByIdAndUpdate(
    sequence,
    { $inc: { next: BLOCK } },
    { upsert: true, returnDocument: 'after' },
  )
    .orFail()
    .lean();
  blocks.set(sequence, { next: next - BLOCK + 1, end: next + 1 });
}
