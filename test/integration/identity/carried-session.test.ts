import { SessionModel } from '../../../models/session.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { readAccessToken } from '../../../services/identity/sessions/access-token.ts';
import { authenticate } from '../../../services/identity/sessions/authenticate.ts';
import { endSession, listSessions } from '../../../services/identity/sessions/own-sessions.ts';
import { register } from '../../../services/identity/users/register.ts';
import { testCall } from '../../helpers/call-context.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([UserModel, SessionModel]);

it('is listed and can be ended after a crash before it got the epoch of its user', async () => {
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  const person = { email: 'ada@example.com', password: 'seven green kettles', ...names };
  const session = await register(person, testCall());
  if (!('user' in session)) throw new Error('the address is free');
  const { userId = 0, sessionId = '' } = readAccessToken(session.accessToken) ?? {};
  const carriedSession = { id: sessionId, epoch: 1 };
  await UserModel.updateOne({ _id: userId }, { sessionEpoch: 1, carriedSession });
  const caller = { kind: 'person', userId, name: 'Ada Lovelace', sessionId } as const;

  expect(await authenticate(session.accessToken)).toMatchObject({ sessionId });
  const { items } = await listSessions({ limit: 10 }, testCall({ caller }));
  expect(items).toMatchObject([{ id: sessionId, current: true }]);
  await endSession(sessionId, testCall({ caller }));
  expect(await authenticate(session.accessToken)).toBeNull();
});
