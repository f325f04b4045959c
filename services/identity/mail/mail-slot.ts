import { isDuplicateKey } from '../../../mixins/database/database.ts';
import { MailSlotModel } from '../../../models/mail-slot.model.ts';
import { logger } from '../../../support/logging.ts';
import { hashOf } from '../secret.ts';

/** Milliseconds in which at most one mail of a kind goes to an address; more are left out. */
const SLOT_MS = 3600 * 1000;
/** Milliseconds for which a slot is claimed until its mail is sent; a process that ends meanwhile frees it. */
const CLAIM_MS = 60_000;

export type MailKind = 'confirmation' | 'reset' | 'keys-of-former-member';

const slotId = (kind: MailKind, emailKey: string): string => `${kind}:${hashOf(emailKey)}`;

/**
 * Sends a mail of that kind unless one went to the address within the hour. A mail that was not handed
 * over, or that failed, frees the slot again. Answers whether the mail was handed over.
 */
export async function sendInSlot(
  kind: MailKind,
  emailKey: string,
  send: () => Promise<boolean>,
): Promise<boolean> {
  const freeAt = await claimSlot(slotId(kind, emailKey));
  if (!freeAt) return false;
  const claimed = { _id: slotId(kind, emailKey), freeAt };
  let sent = false;
  try {
    sent = await send();
  } finally {
    if (!sent) await MailSlotModel.deleteOne(claimed);
  }
  if (sent) await keepSlot(claimed);
  return sent;
}

/** Takes the slot for its hour. The mail is out already, so that a failure here fails nothing. */
async function keepSlot(claimed: { _id: string; freeAt: Date }): Promise<void> {
  const freeAt = new Date(Date.now() + SLOT_MS);
  await MailSlotModel.updateOne(claimed, { freeAt }).catch((err: Error) => {
    logger.error({ err }, 'A mail slot was not kept; another mail may follow within the hour');
  });
}

/** Of several who claim a slot at once one gets it; null for the others. */
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

/** Lets the next mail of that kind go out: the last one has been answered. */
export async function freeSlot(kind: MailKind, emailKey: string): Promise<void> {
  await MailSlotModel.deleteOne({ _id: slotId(kind, emailKey) });
}
