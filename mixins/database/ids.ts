import { SequenceModel } from '../../models/sequence.model.ts';

/** Ids a process takes at once: a restart leaves at most this gap. */
const BLOCK = 100;

interface Block {
  next: number;
  end: number;
}
const blocks = new Map<string, Block>();
const refills = new Map<string, Promise<void>>();

/**
 * The next id of a collection: positive integers, handed out from blocks that each process takes for
 * itself (hi-lo), so that creating a row costs no round trip of its own. Ids of different processes
 * are not in order of time.
 */
export async function nextId(sequence: string): Promise<number> {
  for (;;) {
    const block = blocks.get(sequence);
    if (block && block.next < block.end) return block.next++;
    await refill(sequence);
  }
}

/** One refill at a time for each sequence, shared by all who wait for it. */
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
