import fc from 'fast-check';
import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import type { OAuthTokens } from '../../../services/connections/oauth-tokens/oauth-tokens.ts';
import { useOAuthTokens } from '../../helpers/oauth-tokens.ts';
import { tokenReply } from '../../helpers/token-server.ts';

const { server, makeTokens, newCredential, secretOf } = useOAuthTokens();

const PAST = new Date(0);
/** Things that happen to a credential, at any time while tokens of it are asked for. */
const EVENTS = ['expire', 'renew', 'refuse', 'rotate', 'forgive'] as const;
const happenings = fc.array(
  fc.record({
    event: fc.constantFrom(...EVENTS, 'ask', 'ask', 'ask', 'ask'),
    by: fc.nat({ max: 2 }),
    bringsRefusal: fc.boolean(),
    isAwaited: fc.boolean(),
  }),
  { minLength: 10, maxLength: 40 },
);
const versionOf = (authorization = '') =>
  Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')[1];

test('whatever happens, a caller gets no token of another secret, and one request is under way', async () => {
  const errors: unknown[] = [];
  let refuses = false;
  const inFlight = new Map<string, number>();
  server.reply = async ({ authorization }, n) => {
    const version = versionOf(authorization) ?? '';
    inFlight.set(version, (inFlight.get(version) ?? 0) + 1);
    if ((inFlight.get(version) ?? 0) > 1) errors.push(`two requests with the secret ${version}`);
    await new Promise(setImmediate);
    inFlight.set(version, (inFlight.get(version) ?? 0) - 1);
    if (refuses) return { status: 400, body: { error: 'invalid_scope' } };
    return tokenReply(null, n, { access_token: `${version}/token-${n}` });
  };
  const isSafe = fc.asyncProperty(happenings, async (list) => {
    const credential = newCredential();
    const { id } = credential;
    const onError = (error: unknown) => void errors.push(error);
    const start = () => makeTokens({ pollMs: 1 }, { onError });
    const processes = [start(), start(), start()];
    const update = (set: object) => CredentialTokenModel.updateOne({ _id: id }, set);
    const updateToken = (set: object) =>
      CredentialTokenModel.updateOne({ _id: id, token: { $ne: null } }, set);
    let secretVersion = 1;
    let lastToken: string | undefined;
    refuses = false;
    const ask = async (
      tokens: OAuthTokens | undefined,
      refusedToken?: string | undefined,
    ): Promise<void> => {
      const version = secretVersion;
      // The client secret is the number of the secret, which each token repeats.
      const result = await tokens?.accessTokenOf(
        { ...credential, secretVersion },
        secretOf({ clientSecret: `${version}` }),
        { refusedToken },
      );
      if (!result?.ok) return;
      lastToken = result.tokenId;
      expect(result.value.split('/')[0]).toBe(`${version}`);
    };
    const asked: Promise<void>[] = [];
    for (const { event, by, bringsRefusal, isAwaited } of list) {
      if (event === 'expire') await updateToken({ 'token.expiresAt': PAST });
      if (event === 'renew') await updateToken({ 'token.renewAt': PAST });
      if (event === 'refuse') refuses = !refuses;
      if (event === 'rotate') secretVersion++;
      if (event === 'forgive') {
        await update({ failure: null });
        await updateToken({ 'token.keepUntil': null });
      }
      if (event !== 'ask') continue;
      const call = ask(processes[by], bringsRefusal ? lastToken : undefined);
      asked.push(call);
      if (isAwaited) await call;
    }
    await Promise.all(asked);
    await Promise.all(processes.map((one) => one.close()));
    refuses = false;
    await update({ failure: null });
    const last = start();
    await ask(last);
    await last.close();
    expect(errors).toEqual([]);
    const stored = await CredentialTokenModel.findById(id).orFail().lean();
    expect(stored).toMatchObject({ secretVersion, lease: null, failure: null });
    expect(stored.earlier.length).toBeLessThanOrEqual(3);
  });
  await fc.assert(isSafe, { numRuns: 30 });
  expect(server.requests.length).toBeGreaterThan(30);
});
