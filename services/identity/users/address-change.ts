import { emailKey } from '../../../contract/fields.ts';
import { Problem } from '../../../contract/problem.ts';
import { eventMessage } from '../../../mixins/changes/outbox.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { ChangedEmail, UserDocument, VerifiedEmail } from '../../../models/user.model.ts';
import { sessionRevoked, userVerified } from '../identity.events.ts';
import { TooManyAddressChanges } from '../identity.problems.ts';
import { nextSessionEpoch } from '../sessions/session.ts';
import { addressUpdate, unverifiedUntil, verifiedEmailOf } from './addresses.ts';
import type { StoredUser } from './users.store.ts';

const HOUR_MS = 3600 * 1000;
/** A person's own changes of the address in an hour. A further change is refused with 429, because each change mails a stranger. */
const MAX_CHANGES = 5;
/** Milliseconds for which a link undoes a change of a verified address, and no other account takes that address. */
const UNDO_MS = 7 * 24 * HOUR_MS;

/** The fields of a user, and the messages, of another address. */
interface AddressChange extends Update<UserDocument> {
  set: Partial<UserDocument>;
  messages: NonNullable<Update<UserDocument>['messages']>;
}

/**
 * The update that gives a user another address. The same write ends the sessions but `session` and stores the mails in
 * the outbox. A verified address stays the account's until the new one is verified, so a change back to it is verified.
 *
 * @param session the id of the user's own session that makes the change; null for a change by an operator
 */
export function addressChangeOf(
  current: StoredUser,
  email: string,
  session: string | null,
): AddressChange {
  const epoch = nextSessionEpoch(current);
  const counted = session === null ? {} : carryAndCount(current, session, epoch);
  const verified = verifiedEmailOf(current);
  const isBack = verified?.emailKey === emailKey(email);
  const change = isBack
    ? restorationOf(current, { ...verified, email })
    : unverifiedChangeOf(current, email, verified);
  return {
    ...change,
    set: { ...change.set, sessionEpoch: epoch, ...counted },
    messages: [eventMessage(sessionRevoked, { userId: current._id }), ...change.messages],
  };
}

function unverifiedChangeOf(
  current: StoredUser,
  email: string,
  verified: VerifiedEmail | null,
): AddressChange {
  const changed = verified && changeOf(verified, current);
  const { set, unset } = addressUpdate({
    email,
    emailKey: emailKey(email),
    emailVerified: false,
    verifiedEmail: verified,
    changedEmails: changed ? withChange(changed, changedOf(current)) : changedOf(current),
  });
  return {
    set: {
      ...set,
      formerEmailKeys: formerKeysOf(current),
      // A directory entry has no account that could expire.
      ...(current.passwordHash === null ? {} : { unverifiedUntil: unverifiedUntil() }),
    },
    unset,
    messages: [addressChanged(current, { changed })],
  };
}

/**
 * The update that makes a verified address of the account the present one again. Links of later changes end; the link of
 * this address stays, unless it was used.
 *
 * @param needsPassword whether the link was used: the address gets a mail for a new password
 */
export function restorationOf(
  current: StoredUser,
  { email, emailKey }: VerifiedEmail,
  needsPassword = false,
) {
  const changedEmails = changedOf(current);
  const at = changedEmails.findIndex((changed) => changed.emailKey === emailKey);
  const { set, unset } = addressUpdate({
    email,
    emailKey,
    emailVerified: true,
    verifiedEmail: null,
    changedEmails: at < 0 ? changedEmails : changedEmails.slice(0, needsPassword ? at : at + 1),
  });
  return {
    set: { ...set, formerEmailKeys: formerKeysOf(current) },
    unset: [...unset, 'unverifiedUntil', 'closedAt'] as const,
    messages: [
      eventMessage(userVerified, { userId: current._id }),
      addressChanged(current, { needsPassword }),
    ],
  };
}

const changedOf = ({ changedEmails = [] }: StoredUser): ChangedEmail[] => changedEmails;

/**
 * The change of a verified address. A further change of it renews the time to undo it, and keeps the place of the first:
 * the link of an address that was changed later never ends that of an earlier one.
 */
function changeOf(verified: VerifiedEmail, current: StoredUser, now = new Date()): ChangedEmail {
  const known = changedOf(current).find(({ emailKey }) => emailKey === verified.emailKey);
  return { ...verified, since: known?.since ?? now, until: new Date(now.getTime() + UNDO_MS) };
}

const withChange = (changed: ChangedEmail, all: readonly ChangedEmail[]): ChangedEmail[] =>
  all.some(({ emailKey }) => emailKey === changed.emailKey)
    ? all.map((one) => (one.emailKey === changed.emailKey ? changed : one))
    : [...all, changed];

const addressChanged = (
  { _id: userId }: StoredUser,
  {
    changed = null,
    needsPassword = false,
  }: { changed?: ChangedEmail | null; needsPassword?: boolean },
) => ({
  call: 'identity.addressChanged',
  params: {
    userId,
    needsPassword,
    undo: changed && {
      email: changed.email,
      since: changed.since.getTime(),
      until: changed.until.getTime(),
    },
  },
});

/** Former addresses of a user that are stored. Beyond them the oldest is dropped, and the deletion no longer erases it. */
const MAX_FORMER = 100;

const formerKeysOf = ({ emailKey, formerEmailKeys = [] }: StoredUser): string[] =>
  [...new Set([...formerEmailKeys, emailKey])].slice(-MAX_FORMER);

const carryAndCount = (current: StoredUser, session: string, epoch: number) => ({
  carriedSession: { id: session, epoch },
  addressChanges: countChange(current),
});

/** The times of the last hour's changes with the present one. Throws 429 beyond `MAX_CHANGES`. */
function countChange({ addressChanges = [] }: StoredUser, now = Date.now()): Date[] {
  const recent = addressChanges.filter((at) => at.getTime() > now - HOUR_MS);
  const [oldest] = recent;
  if (oldest && recent.length >= MAX_CHANGES) {
    const retryAfter = Math.ceil((oldest.getTime() + HOUR_MS - now) / 1000);
    const detail = `An e-mail address changes at most ${MAX_CHANGES} times in an hour.`;
    throw new Problem(TooManyAddressChanges, detail, { retryAfter });
  }
  return [...recent, new Date(now)];
}
