import { workspaceSteps } from '../../../mixins/lifecycle/erasure-steps.ts';
import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import { WorkspaceKeyModel } from '../../../models/workspace-key.model.ts';
import { envelopeOf, newMasterKey } from '../../helpers/envelopes.ts';
import { useOAuthTokens } from '../../helpers/oauth-tokens.ts';
import { tokenReply } from '../../helpers/token-server.ts';
import { waitFor } from '../../helpers/wait.ts';

const MODELS = [CredentialTokenModel, WorkspaceKeyModel];
const { server, makeTokens, newCredential, secretOf } = useOAuthTokens(MODELS);

const WORKSPACE = 7;
const KEY = newMasterKey();
let tokens: ReturnType<typeof makeTokens>;
let exists: boolean;

beforeEach(async () => {
  exists = true;
  await envelopeOf(KEY).sealField({ workspaceId: WORKSPACE, id: 1, field: 'secret' }, 'secret');
  const sealer = envelopeOf(KEY); // with no data key in memory yet
  tokens = makeTokens({}, { sealer, exists: async () => exists });
});

/** A pass of the erasure of the workspace. */
async function erase(): Promise<void> {
  exists = false;
  const target = { targetId: WORKSPACE, addresses: [], requestedAt: new Date(), isLastPass: true };
  for (const step of workspaceSteps(MODELS)) {
    while (await step.take(target, null));
  }
}

const countLeft = async () => [
  await CredentialTokenModel.countDocuments(),
  await WorkspaceKeyModel.countDocuments(),
];
const ask = () => tokens.accessTokenOf(newCredential({ workspaceId: WORKSPACE }), secretOf());
const CHANGED = { ok: false, code: 'TOKEN_UNAVAILABLE', isOutdated: true };

test('a token is sealed with the key that its workspace has', async () => {
  expect(await ask()).toMatchObject({ ok: true });
  expect(await countLeft()).toEqual([1, 1]);
  await erase();
  expect(await countLeft()).toEqual([0, 0]);
});

test('a token that comes after the erasure of its workspace leaves no token and no data key', async () => {
  server.reply = async (request, n) => {
    await erase();
    return tokenReply(request, n);
  };
  expect(await ask()).toMatchObject(CHANGED);
  expect(await countLeft()).toEqual([0, 0]);
});

test('a lease that is claimed after the erasure is removed without a request', async () => {
  await erase();
  expect(await ask()).toMatchObject(CHANGED);
  expect(server.requests).toEqual([]);
  expect(await countLeft()).toEqual([0, 0]);
});

test('a lease that a dead process has claimed after a pass is removed by the next pass', async () => {
  await erase();
  exists = true; // the process died before it looked
  server.reply = () => 'silent';
  const late = ask();
  await waitFor('the request', () => server.requests.length === 1);
  expect(await countLeft()).toEqual([1, 0]);
  await erase();
  expect(await countLeft()).toEqual([0, 0]);
  await tokens.close();
  expect(await late).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(await countLeft()).toEqual([0, 0]);
});
