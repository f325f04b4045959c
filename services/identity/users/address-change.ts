import { emailKey } from '../../../contract/fields.ts';
import { Problem } from '../../../contract/problem.ts';
import { eventMessage } from '../../../mixins/changes/outbox.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import { sessionRevoked } from '../identity.events.ts';
import { TooManyAddressChanges } from '../identity.problems.ts';
import { nextSessionEpoch, resetEpochOf } from '../sessions/session.ts';
import { unverifiedUntil } from './expired-accounts.ts';
import type { StoredUser } from './users.store.ts';

const HOUR_MS = 3600 * 1000;
/** A person's own changes of the address in an hour. A further change is refused with 429, because each change mails a stranger. */
const MAX_CHANGES = 5;

/**
 * The update that gives a user another address. The same write drops the verification, ends the sessions but
 * `session` and the tokens for a new password, and stores the mails in the outbox.
 *
 * @param session the id of the user's own session that makes the change; null for a change by an operator
 */
export function addressChangeOf(
  current: StoredUser,
  email: string,
  session: string | null,
): Update<UserDocument> & { set: Partial<UserDocument> } {
  const { _id: userId } = current;
  const epoch = nextSessionEpoch(current);
  const formerEmail = current.emailVerified ? current.email : null;
  return {
    set: {
      email,
      emailKey: emailKey(email),
      emailVerified: false,
      formerEmailKeys: formerKeysOf(current),
      sessionEpoch: epoch,
      resetEpoch: resetEpochOf(current) + 1,
      ...(session === null ? {} : carryAndCount(current, session, epoch)),
      // A directory entry has no account that could expire.
      ...(current.passwordHash === null ? {} : { unverifiedUntil: unverifiedUntil() }),
    },
    messages: [
      eventMessage(sessionRevoked, { userId }),
      { call: 'identity.addressChanged', params: { userId, formerEmail } },
    ],
  };
}

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
