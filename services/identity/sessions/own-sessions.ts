import { type PersonCaller, personOf } from '../../../contract/caller.ts';
import { newestFirstByText } from '../../../contract/page-order.ts';
import { NotFound, Problem } from '../../../contract/problem.ts';
import { readPage } from '../../../mixins/database/read-page.ts';
import { type SessionDocument, SessionModel } from '../../../models/session.model.ts';
import type { Params } from '../../contracts.ts';
import type { CallContext } from '../call-context.ts';
import { sessionRevoked } from '../identity.events.ts';
import { getUser } from '../users/users.ts';
import { epochOf, revokeSession } from './session.ts';

/** The person's live sessions, newest first. */
export async function listSessions(position: Params<'identity.listSessions'>, call: CallContext) {
  const person = personOf(call.caller);
  const query = { filter: await liveSessionsOf(person), order: newestFirstByText, position };
  return readPage(SessionModel, query, (session: SessionDocument) => showSession(session, person));
}

/** Ends a live session of the person; any other id is answered 404. */
export async function endSession(
  sessionId: string,
  { caller, emit, log }: CallContext,
): Promise<void> {
  const person = personOf(caller);
  const { userId } = person;
  const isOwn = await SessionModel.exists({ ...(await liveSessionsOf(person)), _id: sessionId });
  if (!isOwn || !(await revokeSession(sessionId))) throw noSession();
  log('session.revoked', { userId, sessionId });
  await emit(sessionRevoked, { userId });
}

/** Matches the sessions that `findSession` and `isOfPresentEpoch` admit. */
async function liveSessionsOf({ userId }: PersonCaller) {
  const { carriedSession: carried, ...user } = await getUser(userId);
  const epoch = epochOf(user);
  const ofEpoch = { epoch: { $gte: epoch } };
  const isCarried = carried?.epoch === epoch;
  const ofPresentEpoch = isCarried ? { $or: [ofEpoch, { _id: carried.id }] } : ofEpoch;
  return {
    userId,
    revokedAt: null,
    expiresAt: { $gt: new Date() },
    ...(epoch > 0 ? ofPresentEpoch : {}), // a session of epoch 0 may lack the field
  };
}

const showSession = (session: SessionDocument, { sessionId }: PersonCaller) => ({
  id: session._id,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  address: session.address ?? null,
  userAgent: session.userAgent ?? null,
  current: session._id === sessionId,
});

/** The detail does not repeat the id, which is any text. */
const noSession = () => new Problem(NotFound, 'There is no such session.');
