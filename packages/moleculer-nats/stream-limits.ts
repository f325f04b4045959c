import { MAX_MESSAGE_BYTES } from './message-size.ts';

/** What bounds the memory that streams hold in one process. */
export interface StreamLimits {
  /** Milliseconds in which a stream must move: a chunk sent, received or read. Beyond them both ends get an error. */
  idleTimeoutMs: number;
  /** Streams of a process that are offered or open, both directions together. A further one is refused. */
  maxOpen: number;
}

/** Milliseconds without a chunk sent, received or read after which a stream ends with an error. */
const IDLE_TIMEOUT_MS = 60_000;
/** Open streams of one process. Beyond them a stream is refused: all of them stalled hold about 130 MiB. */
const MAX_OPEN = 500;

export const defaultStreamLimits: StreamLimits = {
  idleTimeoutMs: IDLE_TIMEOUT_MS,
  maxOpen: MAX_OPEN,
};

/** Bytes that a sender may be ahead of the reader. Beyond them the sender waits for credit. */
export const WINDOW_BYTES = 256 * 1024;
/** Bytes of the window that a part takes beside its own, so that a window holds at most 1,024 parts. */
const PART_OVERHEAD_BYTES = 256;
/** Bytes of one part. A larger object fails its stream. */
export const MAX_PART_BYTES = MAX_MESSAGE_BYTES / 2;

/** Bytes of the window that the part takes. */
export const windowBytesOf = (part: Uint8Array): number => part.length + PART_OVERHEAD_BYTES;
