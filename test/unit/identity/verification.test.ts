import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { connectDatabase, disconnectDatabase } from '../../../mixins/database.ts';
import { EmailTokenModel } from '../../../models/email-token.model.ts';
import { OutboxMailModel } from '../../../models/outbox-mail.model.ts';
import { UserModel } from '../../../models/user.model.ts';
import { register } from '../../../services/identity/register.ts';
import { signIn } from '../../../services/identity/sign-in.ts';
import { verifyEmail } from '../../../services/identity/verification.ts';

jest.mock('../../../services/identity/session.ts', () => ({ openSession: jest.fn() }));

const ada = { email: 'ada@example.com', password: 'seven green kettles' };
const events = {
  sessionRevoked: async () => undefined,
  apiKeyRevoked: async () => undefined,
  userVerified: async () => undefined,
};

let stop: () => Promise<void>;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  const database = await startEmbeddedMongo({ folder });
  await connectDatabase(database.uri);
  await UserModel.createIndexes();
  stop = async () => {
    await disconnectDatabase();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}, 60_000);
afterAll(() => stop());

const tokens = async () =>
  (await OutboxMailModel.find().sort({ _id: 1 }).lean()).map(({ token }) => token ?? '');

it('is asked for at the next sign-in when no mail could be sent, and once while a mail counts', async () => {
  const failing = jest.spyOn(OutboxMailModel, 'create').mockRejectedValueOnce(new Error('away'));
  const person = { ...ada, firstName: 'Ada', lastName: 'Lovelace' };
  await expect(register(person)).rejects.toThrow('away');
  failing.mockRestore();
  expect(await tokens()).toEqual([]);

  await signIn(ada);
  await signIn(ada);
  expect(await tokens()).toHaveLength(1);

  await EmailTokenModel.updateMany({}, { expiresAt: new Date(0) });
  await signIn(ada);
  const [, token = ''] = await tokens();
  await verifyEmail(token, events);
  await signIn(ada);
  expect(await tokens()).toHaveLength(2);
});
