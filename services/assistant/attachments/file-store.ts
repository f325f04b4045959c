import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import mongoose, { type mongo } from 'mongoose';
import type { ByteRange } from '../../../contract/file-answer.ts';
import { outageProblem } from '../../../middlewares/error-mapping.ts';
import { AttachmentChunkModel } from '../../../models/attachment-chunk.model.ts';
import { AttachmentFileModel } from '../../../models/attachment-file.model.ts';

/** Bytes of a part of a file, the default of GridFS. */
const CHUNK_BYTES = 255 * 1024;
/** Parts that the database sends at once to a reader. */
const BATCH_CHUNKS = 4;

interface Chunk {
  files_id: number;
  n: number;
  data: mongo.Binary;
}
const chunks = () => AttachmentChunkModel.collection as unknown as mongo.Collection<Chunk>;

/**
 * Writes the bytes of a file as they come, in the form of GridFS, one part after the other: when this ends, no write is
 * under way. One buffer has each part in turn; the driver's `GridFSBucket` would copy every part into one of its own.
 * `onBytes` is awaited before the bytes are taken.
 */
export async function writeFile(
  id: number,
  name: string,
  source: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => Promise<void>,
): Promise<{ size: number; sha256: string }> {
  const part = Buffer.alloc(CHUNK_BYTES);
  const hash = createHash('sha256');
  let size = 0;
  const storePart = async (length: number): Promise<void> => {
    const n = Math.ceil(size / CHUNK_BYTES) - 1;
    const data = new mongoose.mongo.Binary(part.subarray(0, length));
    await chunks().insertOne({ files_id: id, n, data });
  };
  for await (const bytes of source) {
    await onBytes(size + bytes.length);
    hash.update(bytes);
    for (let at = 0; at < bytes.length; ) {
      const filled = size % CHUNK_BYTES;
      const copied = bytes.copy(part, filled, at);
      at += copied;
      size += copied;
      if (filled + copied === CHUNK_BYTES) await storePart(CHUNK_BYTES);
    }
  }
  const rest = size % CHUNK_BYTES;
  if (rest > 0) await storePart(rest);
  await AttachmentFileModel.create({
    _id: id,
    length: size,
    chunkSize: CHUNK_BYTES,
    uploadDate: new Date(),
    filename: name,
  });
  return { size, sha256: hash.digest('hex') };
}

/** Reads a part of a file. A part that the database does not have is an error. */
export function readFile(id: number, { start, end }: ByteRange): Readable {
  return Readable.from(bytesOf(id, start, end), { objectMode: false });
}

async function* bytesOf(id: number, start: number, end: number): AsyncGenerator<Buffer> {
  const first = Math.floor(start / CHUNK_BYTES);
  const last = Math.floor(end / CHUNK_BYTES);
  const found = chunks()
    .find({ files_id: id, n: { $gte: first, $lte: last } })
    .sort({ n: 1 })
    .batchSize(BATCH_CHUNKS);
  let next = first;
  try {
    for await (const { n, data } of found) {
      if (n !== next++) break;
      const offset = n * CHUNK_BYTES;
      yield Buffer.from(data.buffer).subarray(Math.max(0, start - offset), end + 1 - offset);
    }
  } catch (error) {
    // A stream fails after the errors of its action were mapped.
    throw outageProblem(error) ?? error;
  } finally {
    await found.close();
  }
  if (next !== last + 1) throw new RangeError(`the file ${id} has no part ${next}`);
}

/** Removes the bytes of files. A repetition goes on with what is left. */
export async function removeFiles(ids: readonly number[]): Promise<void> {
  await chunks().deleteMany({ files_id: { $in: [...ids] } });
  await AttachmentFileModel.deleteMany({ _id: { $in: ids } });
}
