import { setImmediate as turn } from 'node:timers/promises';
import { databaseCommand } from '../../../mixins/database/commands.ts';
import { RefreshTokenModel } from '../../../models/refresh-token.model.ts';
import { SessionModel } from '../../../models/session.model.ts';
import { type UserDocument, UserModel } from '../../../models/user.model.ts';
import { authenticate } from '../../../services/identity/sessions/authenticate.ts';
import { openSession, revokeSession } from '../../../services/identity/sessions/session.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

let commands: string[] = [];
databaseCommand.subscribe(({ command }) => void commands.push(command));
useDatabase([UserModel, SessionModel, RefreshTokenModel]);

const client = { address: '192.0.2.1', userAgent: 'Test/1' };
let nextUser = 1;

async function signIn() {
  const [_id, at] = [nextUser++, new Date()];
  const emailKey = `user-${_id}@example.com`;
  const user = { _id, email: emailKey, emailKey, firstName: 'Ada', lastName: 'Lovelace' };
  await UserModel.create({ ...user, createdAt: at, updatedAt: at });
  const stored = (await UserModel.findById(_id).lean()) as UserDocument;
  const { accessToken } = await openSession(stored, client);
  const session = await SessionModel.findOne({ userId: _id }).lean();
  if (!session) throw new Error('the session is there');
  return { accessToken, sessionId: session._id };
}
const lastUseOf = async (id: string) => (await SessionModel.findById(id).lean())?.lastUsedAt;
const ago = (ms: number) => new Date(Date.now() - ms);

it('costs a request one round trip, and no write within a minute', async () => {
  const { accessToken, sessionId } = await signIn();
  const before = await lastUseOf(sessionId);
  commands = [];
  for (let n = 0; n < 3; n++) expect(await authenticate(accessToken)).toMatchObject({ sessionId });
  await turn();
  expect(commands).toEqual(Array.from({ length: 6 }, () => 'find')); // session and user, sent together
  expect(await lastUseOf(sessionId)).toEqual(before);
});

it('is stored once after a minute', async () => {
  const { accessToken, sessionId } = await signIn();
  await SessionModel.updateOne({ _id: sessionId }, { lastUsedAt: ago(61_000) });
  commands = [];
  expect(await authenticate(accessToken)).not.toBeNull();
  const stored = await waitFor('the use', async () => {
    const at = await lastUseOf(sessionId);
    return at && Date.now() - at.getTime() < 30_000 && at;
  });
  // The database may show the write to the reads above before it answers the write.
  await waitFor('the answer to the write', () => commands.includes('update'));
  commands = [];
  expect(await authenticate(accessToken)).not.toBeNull();
  await turn();
  expect(commands).toEqual(['find', 'find']);
  expect(await lastUseOf(sessionId)).toEqual(stored);
});

it('leaves no address and no User-Agent behind when the session is revoked', async () => {
  const { sessionId } = await signIn();
  expect(await SessionModel.findById(sessionId).lean()).toMatchObject(client);
  await revokeSession(sessionId);
  const ended = await SessionModel.findById(sessionId).lean();
  expect(ended).toMatchObject({ address: null, userAgent: null, revokedAt: expect.any(Date) });
});
