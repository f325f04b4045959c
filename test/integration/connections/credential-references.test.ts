import fc from 'fast-check';
import { ApiDescriptionModel } from '../../../models/api-description.model.ts';
import { AuthCredentialModel } from '../../../models/auth-credential.model.ts';
import { SequenceModel } from '../../../models/sequence.model.ts';
import { withReservation } from '../../../services/connections/api-descriptions/credential-reference.ts';
import {
  authCredentials,
  type StoredAuthCredential,
} from '../../../services/connections/auth-credentials/auth-credentials.store.ts';
import { createAuthCredential } from '../../../services/connections/auth-credentials/create-credential.ts';
import type { CredentialUsers } from '../../../services/connections/auth-credentials/references/credential-users.ts';
import {
  releaseCredentials,
  reserveCredentials,
} from '../../../services/connections/auth-credentials/references/reservations.ts';
import { removeAuthCredential } from '../../../services/connections/auth-credentials/remove-credential.ts';
import { changeContext } from '../../helpers/change-context.ts';
import { useDatabase } from '../../helpers/database.ts';
import { PLACE_SEALER } from '../../helpers/place-sealer.ts';

useDatabase([AuthCredentialModel, ApiDescriptionModel, SequenceModel]);

const workspaceId = 1;
const PAST = new Date(0);
const FUTURE = new Date(Date.now() + 3_600_000);
const change = () =>
  changeContext({
    operation: 'connections.removeAuthCredential',
    audit: { resource: 'auth-credential' },
  });

async function makeCredential(fields: object = {}): Promise<StoredAuthCredential> {
  const wanted = { workspaceId, name: 'x', authType: 'NONE' as const, allowedOrigins: [] };
  const { id } = await createAuthCredential(wanted, change(), PLACE_SEALER);
  await AuthCredentialModel.updateOne({ _id: id }, fields);
  const stored = await authCredentials.find(id);
  if (!stored) throw new Error('the credential is missing');
  return stored;
}

let lastDescription = 0;
const addReference = (authCredentialId: number) =>
  ApiDescriptionModel.create({
    _id: ++lastDescription,
    workspaceId,
    name: 'Orders',
    description: '',
    url: 'https://api.example.com',
    methodType: 'GET',
    authCredentialId,
    revision: 1,
    createdAt: new Date(),
    updatedAt: new Date(),
  });
const findUsers: CredentialUsers = async ({ _id }) => {
  const found = await ApiDescriptionModel.find({ authCredentialId: _id }).lean();
  const users = found.map(({ _id: id, name }) => ({ type: 'api-description' as const, id, name }));
  return { users, more: 0 };
};
/** The status of a deletion. */
const remove = async (credential: StoredAuthCredential, users = findUsers): Promise<number> =>
  removeAuthCredential(credential, change(), users).then(
    () => 204,
    (error: { code: number }) => error.code,
  );
const reserve = async ({ _id }: StoredAuthCredential, token = 'writer') =>
  (await reserveCredentials({ workspaceId, ids: [_id], token })).credentials.length === 1;
const release = ({ _id }: StoredAuthCredential, token = 'writer') =>
  releaseCredentials({ workspaceId, ids: [_id], token });
const turns = async (n: number) => {
  for (let turn = 0; turn < n; turn++) await new Promise(setImmediate);
};

test('a credential with a reference is not deleted, and can be deleted after the reference', async () => {
  const credential = await makeCredential();
  await addReference(credential._id);
  expect(await remove(credential)).toBe(409);
  // Another deletion that this one has overtaken finds a newer revision, and asks for users again.
  expect((await authCredentials.find(credential._id))?.revision).toBe(credential.revision + 1);
  expect(await reserve(credential)).toBe(true);
  await release(credential);
  await ApiDescriptionModel.deleteMany({ authCredentialId: credential._id });
  expect(await remove(credential)).toBe(204);
  expect(await reserve(credential)).toBe(false);
  expect(await remove(credential)).toBe(404);
});

test('a deletion waits for a writer, and finds the reference', async () => {
  const credential = await makeCredential();
  expect(await reserve(credential)).toBe(true);
  const removal = remove(credential);
  await turns(50);
  await addReference(credential._id);
  await release(credential);
  expect(await removal).toBe(409);
});

test('a deletion is refused while a writer does not end, and after its crash it goes through', async () => {
  const held = { token: 'crashed', until: FUTURE };
  const credential = await makeCredential({ reservations: [held] });
  expect(await remove(credential)).toBe(503);
  await AuthCredentialModel.updateOne(
    { _id: credential._id },
    { reservations: [{ ...held, until: PAST }] },
  );
  expect(await remove(credential)).toBe(204);
});

test('the mark of a deletion that crashed ends', async () => {
  const deletion = { token: 'crashed', until: FUTURE };
  const credential = await makeCredential({ deletion });
  expect(await reserve(credential)).toBe(false);
  await AuthCredentialModel.updateOne(
    { _id: credential._id },
    { deletion: { ...deletion, until: PAST } },
  );
  expect(await reserve(credential)).toBe(true);
});

test('a deletion that took too long asks for users again', async () => {
  const credential = await makeCredential();
  const { _id } = credential;
  const asked: number[] = [];
  const slowly: CredentialUsers = async (current) => {
    const found = await findUsers(current);
    asked.push(found.users.length);
    if (asked.length > 1) return found;
    await AuthCredentialModel.updateOne({ _id }, { 'deletion.until': PAST });
    expect(await reserve(credential)).toBe(true);
    await addReference(_id);
    await release(credential);
    return found;
  };
  expect(await remove(credential, slowly)).toBe(409);
  expect(asked).toEqual([0, 1]);
});

test('a deletion whose mark another deletion has taken asks for users again', async () => {
  const credential = await makeCredential();
  const { _id } = credential;
  const asked: number[] = [];
  const overtaken: CredentialUsers = async (current) => {
    const found = await findUsers(current);
    asked.push(found.users.length);
    if (asked.length > 1) return found;
    await AuthCredentialModel.updateOne({ _id }, { 'deletion.token': 'other' });
    await AuthCredentialModel.updateOne(
      { _id, 'deletion.token': 'other' },
      { $unset: { deletion: 1 }, $inc: { revision: 1 } },
    );
    expect(await reserve(credential)).toBe(true);
    await addReference(_id);
    await release(credential);
    return found;
  };
  expect(await remove(credential, overtaken)).toBe(409);
  expect(asked).toEqual([0, 1]);
});

test('a writer that reserves a credential again prolongs its reservation', async () => {
  const { _id: id } = await makeCredential();
  const reservations = async () => (await AuthCredentialModel.findById(id).lean())?.reservations;
  await withReservation(workspaceId, async (reservation) => {
    await reservation.reserve({ id, field: 'authCredentialId' });
    await AuthCredentialModel.updateOne({ _id: id }, { 'reservations.0.until': PAST });
    await reservation.reserve({ id, field: 'authCredentialId' });
    expect((await reservations())?.map(({ until }) => until > PAST)).toEqual([true]);
  });
  expect(await reservations()).toEqual([]);
});

test('a reference counts even if its reservation cannot be ended', async () => {
  const { _id: id } = await makeCredential();
  const written = withReservation(workspaceId, async (reservation) => {
    await reservation.reserve({ id, field: 'authCredentialId' });
    jest.spyOn(AuthCredentialModel, 'updateMany').mockImplementationOnce(() => {
      throw new Error('the database is away');
    });
    return 'written';
  });
  await expect(written).resolves.toBe('written');
});

test('whatever deletions and writers meet, no reference dangles and every credential can be deleted', async () => {
  const act = fc.record({
    kind: fc.constantFrom('delete', 'refer', 'crash'),
    delay: fc.nat({ max: 30 }),
    slowness: fc.nat({ max: 30 }),
  });
  let refers = 0;
  let deletes = 0;
  const isSafe = fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 16 }), async (acts) => {
    const credential = await makeCredential();
    const { _id } = credential;
    await Promise.all(
      acts.map(async ({ kind, delay, slowness }, at) => {
        await turns(delay);
        if (kind === 'delete') {
          const slow: CredentialUsers = async (current) => {
            const found = await findUsers(current);
            await turns(slowness);
            return found;
          };
          const status = await remove(credential, slow);
          if (status === 204) deletes++;
          expect([204, 404, 409]).toContain(status);
          return;
        }
        const token = `writer ${at}`;
        if (!(await reserve(credential, token))) return;
        await turns(slowness);
        if (kind === 'refer') {
          await addReference(_id);
          refers++;
        }
        await release(credential, token);
      }),
    );
    const references = await ApiDescriptionModel.countDocuments({ authCredentialId: _id });
    const stored = await authCredentials.find(_id);
    if (!stored) {
      expect(references).toBe(0);
      return;
    }
    await ApiDescriptionModel.deleteMany({ authCredentialId: _id });
    expect(await remove(stored)).toBe(204);
  });
  await fc.assert(isSafe, { numRuns: 120, seed: 20261123 });
  expect(refers).toBeGreaterThan(20);
  expect(deletes).toBeGreaterThan(20);
});
