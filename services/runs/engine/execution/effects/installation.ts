import { randomBytes } from 'node:crypto';
import { InstallationModel } from '../../../../../models/installation.model.ts';

/** The id of the only document. */
const ONLY = 1;
/** The alphabet of base32 (RFC 4648, section 6), in lower case. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 12;

/**
 * Reads the name of this installation, with which its `Idempotency-Key`s begin; the first start on a database makes the name.
 * A database that was emptied has another name: its run 1 is another than the run 1 that other systems remember.
 */
export async function readInstallation(): Promise<string> {
  const { name } = await InstallationModel.findByIdAndUpdate(
    ONLY,
    { $setOnInsert: { name: randomName() } },
    { upsert: true, returnDocument: 'after' },
  )
    .orFail()
    .lean();
  return name;
}

/** 32 divides 256, so that each character is as likely as any other. */
const randomName = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
