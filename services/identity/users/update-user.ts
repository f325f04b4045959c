import { actorOf } from '../../../contract/caller.ts';
import { emailKey } from '../../../contract/fields.ts';
import { noUser, Problem } from '../../../contract/problem.ts';
import type { Update } from '../../../mixins/changes/update.ts';
import type { UserDocument } from '../../../models/user.model.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { assertDomainAdmitted } from '../email-domains/domain-of-address.ts';
import { EmailInUse } from '../identity.problems.ts';
import { assertLiveSession, endOtherSessions } from '../sessions/carried-session.ts';
import { addressChangeOf } from './address-change.ts';
import { isAddressTaken, takeAddress } from './addresses.ts';
import { type StoredUser, users } from './users.store.ts';
import { getUser, showUser } from './users.ts';

type Details = Omit<Params<'identity.updateUser'>, 'id'>;

/**
 * Changes the name and the address. Another address is one write with all of its consequences: `address-change.ts`.
 * Details that are equal to the stored ones write nothing.
 */
export async function updateUser(
  { id, ...details }: Params<'identity.updateUser'>,
  call: CallContext,
): Promise<ReturnType<typeof showUser>> {
  const user = await getUser(id);
  const change = call.changeAs(actorOf(call.caller));
  const decide = (current: StoredUser) => decideUpdate(current, details, call);
  try {
    const write = () => users.change(user, decide, change, showUser);
    const updated = await takeAddress(emailKey(details.email), write);
    if (updated.emailKey !== user.emailKey) await announceAddress(updated, call);
    return showUser(updated);
  } catch (error) {
    if (!isAddressTaken(error)) throw error;
    throw new Problem(EmailInUse, 'Another user has this e-mail address.');
  }
}

async function decideUpdate(
  current: StoredUser,
  details: Details,
  { caller }: CallContext,
): Promise<Update<UserDocument> | null> {
  if (current.deletion) throw noUser(current._id);
  const changed = (['firstName', 'lastName', 'email'] as const).filter(
    (name) => details[name] !== current[name],
  );
  if (changed.length === 0) return null;
  if (emailKey(details.email) === current.emailKey) return { set: details, changed };
  const isOwn = caller.kind === 'person' && caller.userId === current._id;
  if (isOwn) await assertDomainAdmitted(details.email);
  const session = await assertLiveSession(caller, current);
  const address = addressChangeOf(current, details.email, session);
  return { ...address, set: { ...details, ...address.set }, changed };
}

async function announceAddress(user: StoredUser, { caller, log }: CallContext): Promise<void> {
  log('account.address-changed', { userId: user._id });
  await endOtherSessions(user, caller);
}
