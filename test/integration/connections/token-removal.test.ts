import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import { authCredentials } from '../../../services/connections/auth-credentials/auth-credentials.store.ts';
import { removeAuthCredential } from '../../../services/connections/auth-credentials/remove-credential.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([AuthCredentialModel, CredentialTokenModel]);

const USER = { type: 'configuration-store', id: 5, name: 'Orders' } as const;
const change = changeContext({
  operation: 'connections.removeAuthCredential',
  audit: { resource: 'auth-credential' },
});

async function createCredential() {
  const at = new Date();
  const credential = await authCredentials.create(
    {
      workspaceId: 1,
      name: 'Orders',
      authType: 'OAUTH2_CLIENT_CREDENTIALS',
      allowedOrigins: ['https://auth.example'],
      sealedSecret: 'sealed',
      secretVersion: 1,
      lastUsedAt: null,
      createdAt: at,
      updatedAt: at,
    },
    change,
  );
  await CredentialTokenModel.create({
    _id: credential._id,
    workspaceId: 1,
    revision: 1,
    secretVersion: 1,
    token: { id: 'a', sealed: 'sealed', expiresAt: at, renewAt: at, keepUntil: null },
    authentication: 'basic',
    removeAt: new Date(at.getTime() + 60_000),
  });
  return credential;
}

test('the deletion of a credential removes its access token', async () => {
  const credential = await createCredential();
  await removeAuthCredential(credential, change, async () => ({ users: [], more: 0 }));
  expect(await CredentialTokenModel.countDocuments({ _id: credential._id })).toBe(0);
});

test('a credential that is in use keeps its access token', async () => {
  const credential = await createCredential();
  const removal = removeAuthCredential(credential, change, async () => ({
    users: [USER],
    more: 0,
  }));
  await expect(removal).rejects.toMatchObject({ code: 409 });
  expect(await CredentialTokenModel.countDocuments({ _id: credential._id })).toBe(1);
});

test('a credential is deleted even if its access token cannot be removed', async () => {
  const credential = await createCredential();
  const failing = jest.spyOn(CredentialTokenModel, 'deleteOne').mockImplementation(() => {
    throw new Error('the database is away');
  });
  try {
    const removal = removeAuthCredential(credential, change, async () => ({ users: [], more: 0 }));
    await expect(removal).resolves.toBeNull();
    expect(failing).toHaveBeenCalledTimes(1);
  } finally {
    failing.mockRestore();
  }
  expect(await authCredentials.find(credential._id)).toBeNull();
});
