import { setImmediate } from 'node:timers/promises';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Milliseconds for which an account stays without a verified address and without a workspace. */
const UNVERIFIED_MS = 30 * DAY_MS;
/** Milliseconds between the end of an account's sessions and its deletion, in which their requests end. */
const CLOSED_MS = 60_000;
/** Accounts of each kind, closed and open, in one batch. */
const BATCH_SIZE = 100;
/** Batches of one sweep. Further accounts wait for the next sweep. */
const MAX_BATCHES = 100;

export const unverifiedUntil = (now = new Date()): Date => new Date(now.getTime() + UNVERIFIED_MS);

/** What the sweep needs to know about an account, and reports of it. */
export interface ExpiryHooks {
  /** Whether any workspace names the user: as owner, as member, or as somebody it waits for. */
  hasMemberships(userId: number): Promise<boolean>;
  onClosed(userId: number): Promise<void>;
  onDeleted(userId: number): void;
}

/**
 * Deletes accounts without a verified address and without a workspace, 30 days after they were made. Each
 * step is one conditional write of the user, so that of a concurrent verification and deletion one counts.
 */
export async function sweepExpiredAccounts(hooks: ExpiryHooks): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    // Closed accounts come first: nobody can use their addresses until they are deleted.
    const due = [...(await findDue(CLOSED)), ...(await findDue({ closedAt: null }))];
    for (const user of due) await expire(user, hooks);
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

async function expire(user: UserDocument, hooks: ExpiryHooks): Promise<void> {
  if (await hooks.hasMemberships(user._id)) await keep(user);
  else if (user.closedAt) await remove(user, hooks);
  else await close(user, hooks);
}

/** The filter for the user as it was read: a verification, or a step of another process, changes it. */
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

/** Ends the account's sessions, so that the account makes no workspace before it is deleted. */
async function close(user: UserDocument, { onClosed }: ExpiryHooks): Promise<void> {
  const now = new Date();
  const deletedAt = new Date(now.getTime() + CLOSED_MS);
  const { matchedCount } = await UserModel.updateOne(asRead(user), {
    $set: { closedAt: now, unverifiedUntil: deletedAt },
    $inc: { sessionEpoch: 1 },
  });
  if (matchedCount > 0) await onClosed(user._id);
}

async function remove(user: UserDocument, { onDeleted }: ExpiryHooks): Promise<void> {
  const { deletedCount } = await UserModel.deleteOne(asRead(user));
  if (deletedCount === 0) return;
  onDeleted(user._id);
  await EmailTokenModel.deleteMany({ userId: user._id });
}
