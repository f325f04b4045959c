import { setImmediate } from 'node:timers/promises';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Milliseconds that an account may stay without a verified address and without anything of its own. */
const UNVERIFIED_MS = 30 * DAY_MS;
/** Milliseconds between the end of an account's sessions and its deletion: what they began has ended. */
const CLOSED_MS = 60_000;
/** Accounts of a kind that are read at once. */
const BATCH_SIZE = 100;
/** Batches in one sweep; further accounts wait for the next. */
const MAX_BATCHES = 100;

export const unverifiedUntil = (now = new Date()): Date => new Date(now.getTime() + UNVERIFIED_MS);

/** What the sweep asks and tells of an account. */
export interface AccountOutlook {
  /** Whether any workspace names the user: as owner, as member, or as somebody it waits for. */
  hasMemberships(userId: number): Promise<boolean>;
  onClosed(userId: number): Promise<void>;
  onDeleted(userId: number): void;
}

/**
 * Deletes accounts that are not verified and own nothing, 30 days after they were made. Each step is one
 * conditional update of the user, so that of a verification and a deletion that meet one counts, and
 * several processes do no harm.
 */
export async function sweepExpiredAccounts(outlook: AccountOutlook): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    // Closed accounts come first: nobody can use their addresses until they are deleted.
    const due = [...(await findDue(CLOSED)), ...(await findDue({ closedAt: null }))];
    for (const user of due) await expire(user, outlook);
    if (due.length < BATCH_SIZE) return;
    await setImmediate();
  }
}

const CLOSED = { closedAt: { $exists: true } } as const;

const findDue = (kind: typeof CLOSED | { closedAt: null }): Promise<UserDocument[]> =>
  UserModel.find({ ...kind, unverifiedUntil: { $lte: new Date() } })
    .sort({ unverifiedUntil: 1 })
    .limit(BATCH_SIZE)
    .lean()
    .exec();

async function expire(user: UserDocument, outlook: AccountOutlook): Promise<void> {
  if (await outlook.hasMemberships(user._id)) await keep(user);
  else if (user.closedAt) await remove(user, outlook);
  else await close(user, outlook);
}

/** The user as they were read: a verification, or another process's step, makes it another. */
const asRead = ({ _id, unverifiedUntil }: UserDocument) => ({
  _id,
  emailVerified: false,
  unverifiedUntil: unverifiedUntil ?? null,
});

async function keep(user: UserDocument): Promise<void> {
  await UserModel.updateOne(asRead(user), {
    $set: { unverifiedUntil: unverifiedUntil() },
    $unset: { closedAt: 1 },
  });
}

/** Ends the account's sessions first, so that nobody makes a workspace while it is deleted. */
async function close(user: UserDocument, { onClosed }: AccountOutlook): Promise<void> {
  const now = new Date();
  const deletedAt = new Date(now.getTime() + CLOSED_MS);
  const { matchedCount } = await UserModel.updateOne(asRead(user), {
    $set: { closedAt: now, unverifiedUntil: deletedAt },
    $inc: { sessionEpoch: 1 },
  });
  if (matchedCount > 0) await onClosed(user._id);
}

async function remove(user: UserDocument, { onDeleted }: AccountOutlook): Promise<void> {
  const { deletedCount } = await UserModel.deleteOne(asRead(user));
  if (deletedCount === 0) return;
  onDeleted(user._id);
  await EmailTokenModel.deleteMany({ userId: user._id });
}
