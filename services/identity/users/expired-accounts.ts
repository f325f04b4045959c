import { setImmediate } from 'node:timers/promises';
import { systemChange } from '../../../mixins/changes/change-context.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { erasureCalls } from '../../erasure-calls.ts';
import { nextSessionEpoch } from '../sessions/session.ts';
import { restorationOf } from './address-change.ts';
import { unverifiedUntil } from './addresses.ts';
import { type StoredUser, users } from './users.store.ts';

/** Milliseconds from the end of an account's sessions to its deletion, so that requests of the sessions can end. */
const CLOSED_MS = 60_000;
/** Closed accounts, and open accounts, in one batch. Further accounts wait for the next batch. */
const BATCH_SIZE = 100;
/** Batches of one sweep. Further accounts wait for the next sweep. */
const MAX_BATCHES = 100;

/** The sweep's query and notifications about an account. */
export interface ExpiryHooks {
  /** Whether any workspace names the user as owner, member or pending member. */
  hasMemberships(userId: number): Promise<boolean>;
  onClosed(userId: number): Promise<void>;
  onDeleted(userId: number): void;
}

/**
 * Deletes accounts without a verified address and without a workspace, 30 days after they were made. Each
 * step is one write that takes effect only on the revision that was read, so that of a concurrent verification and
 * deletion one takes effect. The next sweep checks a user who was changed since the read.
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

/** Finds due accounts. A verified user has no `unverifiedUntil`, because the verifying update removes the field. */
const findDue = (kind: typeof CLOSED | { closedAt: null }): Promise<StoredUser[]> =>
  UserModel.find({ ...kind, unverifiedUntil: { $lte: new Date() } }, users.projection)
    .sort({ unverifiedUntil: 1 })
    .limit(BATCH_SIZE)
    .lean<StoredUser[]>()
    .exec();

async function expire(user: StoredUser, hooks: ExpiryHooks): Promise<void> {
  const { verifiedEmail } = user;
  if (verifiedEmail) await users.tryChange(user, restorationOf(user, verifiedEmail), RESTORATION);
  else if (await hooks.hasMemberships(user._id)) await keep(user);
  else if (user.closedAt) await remove(user, hooks);
  else await close(user, hooks);
}

const REMOVAL = systemChange('identity', 'identity.expireAccount', { resource: 'user' });
/** An account that had a verified address gets that one back when the new one is not verified in time. */
const RESTORATION = systemChange('identity', 'identity.restoreAddress', { resource: 'user' });
const STEP = { ...REMOVAL, audit: { none: 'the entry of the removal says it' } };

async function keep(user: StoredUser): Promise<void> {
  const set = { unverifiedUntil: unverifiedUntil() };
  await users.tryChange(user, { set, unset: ['closedAt'] }, STEP);
}

/** Ends the account's sessions, so that the account makes no workspace before it is deleted. */
async function close(user: StoredUser, { onClosed }: ExpiryHooks): Promise<void> {
  const closedAt = new Date();
  const deletedAt = new Date(closedAt.getTime() + CLOSED_MS);
  const set = { closedAt, unverifiedUntil: deletedAt, sessionEpoch: nextSessionEpoch(user) };
  if (await users.tryChange(user, { set }, STEP)) await onClosed(user._id);
}

/** Removes the account. The outbox of the write carries the erasure of the person to every service. */
async function remove(user: StoredUser, { onDeleted }: ExpiryHooks): Promise<void> {
  const params = { userId: user._id, addresses: [user.emailKey] };
  if (!(await users.tryRemove(user, REMOVAL, erasureCalls('erasePerson', params)))) return;
  onDeleted(user._id);
  await EmailTokenModel.deleteMany({ userId: user._id });
}
