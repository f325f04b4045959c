import { Problem, Unavailable } from '../../../contract/problem.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { AttachmentUploadModel } from '../../../models/attachment-upload.model.ts';
import { removeFiles } from './file-store.ts';
import { chargeOf, giveBytesBack, recountUsage, takeBytes } from './usage.ts';

/** Bytes of the quota that an upload takes at a time, ahead of the bytes that come. */
const STEP_BYTES = 1024 * 1024;

/**
 * An upload under way, in the database. The record is written before the first byte and removed after the attachment is
 * there, so that the bytes of an upload whose process dies are found (`sweep-uploads.ts`).
 */
export class UploadRecord {
  readonly id: number;
  readonly #workspaceId: number;
  /** Bytes of the quota that were taken. */
  #taken = 0;

  private constructor(id: number, workspaceId: number) {
    this.id = id;
    this.#workspaceId = workspaceId;
  }

  static async begin(id: number, workspaceId: number): Promise<UploadRecord> {
    const aliveAt = databaseClock.date();
    await AttachmentUploadModel.create({ _id: id, workspaceId, reserved: 0, aliveAt });
    return new UploadRecord(id, workspaceId);
  }

  /** Takes of the quota what a file of `size` bytes needs, and some bytes ahead. Throws 409 where there is no room. */
  async reserve(size: number): Promise<void> {
    while (this.#taken < chargeOf(size)) {
      // First in the record: a usage that is counted again has these bytes.
      await this.#touch({ $inc: { reserved: STEP_BYTES } });
      await takeBytes(this.#workspaceId, STEP_BYTES);
      this.#taken += STEP_BYTES;
    }
  }

  /** Keeps the sweep away for the moment in which the attachment is created. Throws 503 where it has come before. */
  async renew(): Promise<void> {
    await this.#touch({});
  }

  /** Ends the upload whose attachment is there: of the quota it keeps what the file takes. */
  async complete(size: number): Promise<void> {
    await AttachmentUploadModel.deleteOne({ _id: this.id });
    await giveBytesBack(this.#workspaceId, this.#taken - chargeOf(size));
  }

  /** Ends the upload of a file that is refused: nothing of it is left. */
  async undo(): Promise<void> {
    await removeFiles([this.id]);
    await AttachmentUploadModel.deleteOne({ _id: this.id });
    await recountUsage(this.#workspaceId);
  }

  async #touch(update: object): Promise<void> {
    const { matchedCount } = await AttachmentUploadModel.updateOne(
      { _id: this.id, swept: { $exists: false } },
      { ...update, $set: { aliveAt: databaseClock.date() } },
    );
    if (matchedCount === 0)
      throw new Problem(Unavailable, 'The upload has stood still for too long.');
  }
}
