import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { hashOf } from '../../../support/hash.ts';
import { logger } from '../../../support/logging.ts';

/** Milliseconds of a slot, for one mail of a kind to an address. Further mails within the slot are not stored. */
const SLOT_MS = 3600 * 1000;
/** Milliseconds of a claim while the mail is stored. Beyond them the slot is free, so a killed process's claim ends. */
const CLAIM_MS = 60_000;

export type MailKind =
  | 'confirmation'
  | 'reset'
  | 'keys-of-former-member'
  | 'switched-off'
  | 'switched-off-elsewhere'
  | 'invitation'
  | 'second-invitation'
  | 'third-invitation'
  | 'invitation-entry';

const slotId = (kind: MailKind, emailKey: string): string => `${kind}:${hashOf(emailKey)}`;

interface SlottedMail {
  kind: MailKind;
  /** The address, or the address and more where it has several slots of the kind. */
  emailKey: string;
  /** Stores the mail in the outbox; false when there is no mail to store. */
  store(): Promise<boolean>;
  /** Runs once the mail is stored. */
  onStored?(): Promise<unknown>;
}

/**
 * Stores the mail and returns true, or returns false when the slot of its kind and address is taken. The slot is free
 * again when no mail was stored.
 */
export async function storeMailInSlot(mail: SlottedMail): Promise<boolean> {
  const _id = slotId(mail.kind, mail.emailKey);
  const freeAt = await claimSlot(_id);
  if (!freeAt) return false;
  const claimed = { _id, freeAt };
  let stored = false;
  try {
    stored = await mail.store();
  } finally {
    if (!stored) await MailSlotModel.deleteOne(claimed);
  }
  if (stored) await Promise.all([keepSlot(claimed), mail.onStored?.()]);
  return stored;
}

/** Keeps the slot for its hour. A failure here is only logged, because the mail is stored already. */
async function keepSlot(claimed: { _id: string; freeAt: Date }): Promise<void> {
  const freeAt = new Date(Date.now() + SLOT_MS);
  await MailSlotModel.updateOne(claimed, { freeAt }).catch((err: Error) => {
    logger.error({ err }, 'A mail slot was not kept; another mail may follow within the hour');
  });
}

/** Claims a free slot until the returned time; null when the slot is taken. */
async function claimSlot(_id: string): Promise<Date | null> {
  const now = new Date();
  const freeAt = new Date(now.getTime() + CLAIM_MS);
  try {
    await MailSlotModel.updateOne({ _id, freeAt: { $lte: now } }, { freeAt }, { upsert: true });
    return freeAt;
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}

/** Whether a process may be storing a mail of the kind now, or was killed in the last minute while it did. */
export async function isSlotClaimed(kind: MailKind, emailKey: string): Promise<boolean> {
  const now = Date.now();
  const freeAt = { $gt: new Date(now), $lte: new Date(now + CLAIM_MS) };
  return (await MailSlotModel.exists({ _id: slotId(kind, emailKey), freeAt })) !== null;
}

/** Frees the slot after an answer to its mail, so that the next mail of the kind may follow at once. */
export async function freeSlot(kind: MailKind, emailKey: string): Promise<void> {
  await MailSlotModel.deleteOne({ _id: slotId(kind, emailKey) });
}
