import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { SentSecretsSealer } from '../../../services/connections/calls/sent-secrets.ts';
import type { PreparedRequest } from '../../../services/connections/contract/internal.ts';
import { rotateKeys } from '../../../services/connections/envelope/rotate-keys.ts';
import { useDatabase } from '../../helpers/database.ts';
import { envelopeOf, masterKeysOf, newMasterKey } from '../../helpers/envelopes.ts';

useDatabase([WorkspaceKeyModel]);
beforeEach(async () => {
  await WorkspaceKeyModel.deleteMany({});
  for (const workspaceId of [WORKSPACE, OTHER_WORKSPACE]) {
    const place = { workspaceId, id: 5, field: 'secret' }; // the secret of the credential makes the data key
    await envelopeOf(OLD_KEY).sealField(place, 'client-canary');
  }
});

const [OLD_KEY, NEW_KEY] = [newMasterKey(), newMasterKey()];
/** The sealer of a process that has just started. */
const sealerOf = (...texts: string[]) => new SentSecretsSealer(envelopeOf(...texts));
const [WORKSPACE, OTHER_WORKSPACE] = [7, 8];
const SECRETS = ['client-canary', 'token-cänary'];
const preparedWith = (credentialId: number | null, secrets: string[]): PreparedRequest => ({
  ok: true,
  method: 'GET',
  url: 'https://shop.example/',
  secretHeaders: {},
  credentialId,
  secrets,
  tokenId: null,
});

/** The sealed secrets of a call with the credential 5. */
async function seal(sealer: SentSecretsSealer, secrets = SECRETS): Promise<string> {
  const prepared = await sealer.sealCall(WORKSPACE, preparedWith(5, secrets));
  if (!prepared.ok || prepared.sealedSecrets === null) throw new Error('nothing was sealed');
  return prepared.sealedSecrets;
}
const open = async (sealer: SentSecretsSealer, sealed: string, place: object = {}) => {
  const { workspaceId = WORKSPACE, credentialId = 5 } = place as Record<string, number>;
  return (await sealer.open({ workspaceId, sealed: [{ credentialId, sealed }] })).opened;
};

test('the secrets of a call open in every process, and their sealed text shows nothing', async () => {
  const sealed = await seal(sealerOf(OLD_KEY));
  expect(sealed).not.toContain('canary');
  expect(sealed).not.toContain(Buffer.from('canary').toString('base64url'));
  expect(await open(sealerOf(OLD_KEY), sealed)).toEqual([SECRETS]);
});

test('calls with the same secrets have the same sealed text, and others another one', async () => {
  const sealer = sealerOf(OLD_KEY);
  const sealed = await seal(sealer);
  expect(await seal(sealer)).toBe(sealed);
  expect(await seal(sealer, ['another-secret'])).not.toBe(sealed);
});

test('a call without secrets has none', async () => {
  const sealer = sealerOf(OLD_KEY);
  for (const prepared of [preparedWith(null, []), preparedWith(5, [])]) {
    expect(await sealer.sealCall(WORKSPACE, prepared)).toMatchObject({ sealedSecrets: null });
  }
});

test('a call of a workspace that was deleted meanwhile is refused, and makes no data key', async () => {
  await WorkspaceKeyModel.deleteMany({});
  expect(await sealerOf(OLD_KEY).sealCall(WORKSPACE, preparedWith(5, SECRETS))).toMatchObject({
    ok: false,
    code: 'REFERENCE_NOT_FOUND',
  });
  expect(await WorkspaceKeyModel.countDocuments()).toBe(0);
});

test('a refused call stays as it is', async () => {
  const refused = { ok: false, code: 'TOKEN_REFUSED', detail: 'no' } as const;
  expect(await sealerOf(OLD_KEY).sealCall(WORKSPACE, refused)).toBe(refused);
});

test.each([
  ['another credential', { credentialId: 6 }],
  ['another workspace', { workspaceId: OTHER_WORKSPACE }],
  ['a workspace without a key', { workspaceId: 9 }],
])('the secrets do not open for %s', async (_, place) => {
  const sealer = sealerOf(OLD_KEY);
  expect(await open(sealer, await seal(sealer), place)).toEqual([null]);
});

test('a damaged text does not open, and the others beside it do', async () => {
  const sealer = sealerOf(OLD_KEY);
  const good = await seal(sealer);
  const damaged = `${good.slice(0, -4)}AAAA`;
  const sealed = [damaged, good, '', 'v1.', 'plain-text'].map((text) => ({
    credentialId: 5,
    sealed: text,
  }));
  expect(await sealer.open({ workspaceId: WORKSPACE, sealed })).toEqual({
    opened: [null, SECRETS, null, null, null],
  });
});

test('the secrets open after a rotation of the master key, without the old one', async () => {
  const sealed = await seal(sealerOf(OLD_KEY));
  expect(await rotateKeys(masterKeysOf(NEW_KEY, OLD_KEY))).toMatchObject({
    rewrapped: 2,
    failures: [],
  });
  expect(await open(sealerOf(NEW_KEY), sealed)).toEqual([SECRETS]);
});
