import {
  type CredentialTokenDocument,
  CredentialTokenModel,
} from '../../../models/credential-token.model.ts';
import type { TokenResult } from '../../../services/connections/oauth-tokens/access-token.ts';
import { removeToken } from '../../../services/connections/oauth-tokens/token-store.ts';
import { CLIENT_SECRET as SECRET, useOAuthTokens } from '../../helpers/oauth-tokens.ts';
import { type TokenReply, TokenServer, tokenReply } from '../../helpers/token-server.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, makeTokens, newCredential, secretOf } = useOAuthTokens();
const PAST = new Date(0);
const stored = (id: number) =>
  CredentialTokenModel.findById(id).orFail().lean<CredentialTokenDocument>();
const update = (id: number, set: object) => CredentialTokenModel.updateOne({ _id: id }, set);

function tokenOf(result: TokenResult): { value: string; tokenId: string } {
  if (!result.ok) throw new Error(`no token: ${result.code} ${result.detail}`);
  return result;
}

describe('a token', () => {
  test('is asked for once by 200 concurrent callers, and not by later ones', async () => {
    const tokens = makeTokens();
    const credential = newCredential();
    const ask = () => tokens.accessTokenOf(credential, secretOf());
    const results = await Promise.all(Array.from({ length: 200 }, ask));
    expect(new Set(results.map((result) => tokenOf(result).value))).toEqual(
      new Set(['access-token-1']),
    );
    expect(tokenOf(await ask()).value).toBe('access-token-1');
    expect(tokenOf(await makeTokens().accessTokenOf(credential, secretOf())).value).toBe(
      'access-token-1',
    );
    expect(server.requests).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/token',
        authorization: `Basic ${Buffer.from(`shop:${SECRET}`).toString('base64')}`,
        form: { grant_type: 'client_credentials', scope: 'orders' },
        headers: expect.objectContaining({
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        }),
      }),
    ]);
  });

  test('is one for each credential', async () => {
    const tokens = makeTokens();
    const first = tokenOf(await tokens.accessTokenOf(newCredential(), secretOf()));
    const second = tokenOf(await tokens.accessTokenOf(newCredential(), secretOf()));
    expect(second.value).not.toBe(first.value);
    expect(second.tokenId).not.toBe(first.tokenId);
  });

  test('is stored sealed, at a place of its own', async () => {
    const credential = newCredential();
    const tokens = makeTokens();
    const { value, tokenId } = tokenOf(await tokens.accessTokenOf(credential, secretOf()));
    const document = await stored(credential.id);
    expect(JSON.stringify(document)).not.toContain(value);
    expect(JSON.stringify(document)).not.toContain(SECRET);
    expect(document).toMatchObject({ workspaceId: 7, lease: null, token: { id: tokenId } });
    const other = newCredential();
    await CredentialTokenModel.create({ ...document, _id: other.id });
    await expect(tokens.accessTokenOf(other, secretOf())).rejects.toThrow('another place');
  });

  test('is fetched anew once it has expired', async () => {
    const tokens = makeTokens();
    const credential = newCredential();
    await tokens.accessTokenOf(credential, secretOf());
    await update(credential.id, { 'token.expiresAt': PAST });
    expect(tokenOf(await tokens.accessTokenOf(credential, secretOf())).value).toBe(
      'access-token-2',
    );
  });

  test('lives as long as its answer says, by the clock of the database', async () => {
    const credential = newCredential();
    server.reply = (request, n) => tokenReply(request, n, { expires_in: 100 });
    await makeTokens().accessTokenOf(credential, secretOf());
    const { token, removeAt } = await stored(credential.id);
    const expiresAt = token?.expiresAt.getTime() ?? 0;
    const writtenAt = removeAt.getTime() - 48 * 3_600_000;
    expect(writtenAt + 100_000 - expiresAt).toBeGreaterThanOrEqual(0); // the request's own time is taken off
    expect(expiresAt - writtenAt).toBeGreaterThan(0);
    expect(expiresAt - (token?.renewAt.getTime() ?? 0)).toBeGreaterThan(0);
    expect(expiresAt - (token?.renewAt.getTime() ?? 0)).toBeLessThanOrEqual(10_001);
  });

  test('is renewed ahead of its expiry while callers use the present one', async () => {
    const tokens = makeTokens();
    const credential = newCredential();
    const gate = Promise.withResolvers<void>();
    await tokens.accessTokenOf(credential, secretOf());
    await update(credential.id, { 'token.renewAt': PAST });
    server.reply = async (request, n) => gate.promise.then(() => tokenReply(request, n));
    const ask = async () => tokenOf(await tokens.accessTokenOf(credential, secretOf())).value;
    expect(await ask()).toBe('access-token-1');
    await waitFor('the renewal', () => server.requests.length === 2);
    expect(await ask()).toBe('access-token-1');
    gate.resolve();
    await waitFor('the next token', async () => (await ask()) === 'access-token-2');
    expect(server.requests).toHaveLength(2);
  });

  test('is used on when its renewal fails, and the endpoint is not asked again at once', async () => {
    const tokens = makeTokens();
    const credential = newCredential();
    await tokens.accessTokenOf(credential, secretOf());
    await update(credential.id, { 'token.renewAt': PAST });
    server.reply = () => ({ status: 503, body: '' });
    const ask = async () => tokenOf(await tokens.accessTokenOf(credential, secretOf())).value;
    expect(await ask()).toBe('access-token-1');
    await waitFor('the failure', async () => (await stored(credential.id)).failure);
    for (let n = 0; n < 10; n++) expect(await ask()).toBe('access-token-1');
    expect(server.requests).toHaveLength(2);
  });

  test('is removed with its credential, also while another is fetched', async () => {
    const tokens = makeTokens();
    const credential = newCredential();
    await tokens.accessTokenOf(credential, secretOf());
    await update(credential.id, { 'token.expiresAt': PAST });
    server.reply = async (request, n) => {
      await removeToken(credential.id);
      return tokenReply(request, n);
    };
    expect(await tokens.accessTokenOf(credential, secretOf())).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      detail: expect.stringContaining('deleted'),
      isOutdated: true,
    });
    expect(await CredentialTokenModel.countDocuments({ _id: credential.id })).toBe(0);
  });
});

describe('a refused token', () => {
  test('is replaced once, however many callers bring it', async () => {
    const credential = newCredential();
    const tokens = [makeTokens(), makeTokens()];
    const [one] = tokens;
    const old = tokenOf((await one?.accessTokenOf(credential, secretOf())) as TokenResult);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        tokens[n % 2]?.accessTokenOf(credential, secretOf(), { refusedToken: old.tokenId }),
      ),
    );
    const values = results.map((result) => tokenOf(result as TokenResult).value);
    expect(new Set(values)).toEqual(new Set(['access-token-2']));
    expect(server.requests).toHaveLength(2);
  });

  test('that has just replaced another comes back: the refusal has another reason', async () => {
    const credential = newCredential();
    const tokens = makeTokens();
    const ask = async (refusedToken?: string) =>
      tokenOf(await tokens.accessTokenOf(credential, secretOf(), { refusedToken }));
    const first = await ask();
    const second = await ask(first.tokenId);
    expect(second.value).toBe('access-token-2');
    expect((await ask(second.tokenId)).tokenId).toBe(second.tokenId);
    expect(server.requests).toHaveLength(2);
    await update(credential.id, { 'token.keepUntil': PAST });
    expect((await ask(second.tokenId)).value).toBe('access-token-3');
  });

  test('and every other token that may still be valid is masked', async () => {
    const credential = newCredential();
    const tokens = makeTokens();
    expect(await tokens.valuesToMask(credential)).toEqual([]);
    const { tokenId } = tokenOf(await tokens.accessTokenOf(credential, secretOf()));
    await tokens.accessTokenOf(credential, secretOf(), { refusedToken: tokenId });
    expect(await tokens.valuesToMask(credential)).toEqual(['access-token-2', 'access-token-1']);
    const next = { ...credential, secretVersion: 2 };
    await tokens.accessTokenOf(next, secretOf());
    expect(await tokens.valuesToMask(next)).toEqual([
      'access-token-3',
      'access-token-2',
      'access-token-1',
    ]);
    await update(credential.id, { 'earlier.0.expiresAt': PAST });
    expect(await tokens.valuesToMask(next)).toEqual(['access-token-3', 'access-token-1']);
  });
});

describe('a new secret', () => {
  test('ends the use of the old token, and callers of the old secret do not get the new one', async () => {
    const tokens = makeTokens();
    const old = newCredential();
    const current = { ...old, secretVersion: 2 };
    await tokens.accessTokenOf(old, secretOf());
    const secret = secretOf({ clientSecret: 'another-secret' });
    expect(tokenOf(await tokens.accessTokenOf(current, secret)).value).toBe('access-token-2');
    expect(await tokens.accessTokenOf(old, secretOf())).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      detail: expect.stringContaining('changed'),
      isOutdated: true,
    });
    expect(server.requests).toHaveLength(2);
  });

  test('forgets the refusal of the old one', async () => {
    const tokens = makeTokens();
    const old = newCredential();
    server.reply = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect((await tokens.accessTokenOf(old, secretOf())).ok).toBe(false);
    server.reply = tokenReply;
    expect((await tokens.accessTokenOf(old, secretOf())).ok).toBe(false);
    expect((await tokens.accessTokenOf({ ...old, secretVersion: 2 }, secretOf())).ok).toBe(true);
  });

  test('that comes while a token of the old one is fetched is not overtaken', async () => {
    const tokens = makeTokens({ renewalMs: 20 });
    const old = newCredential();
    server.reply = (request, n) => (n === 1 ? 'silent' : tokenReply(request, n));
    const late = tokens.accessTokenOf(old, secretOf());
    await waitFor('the first request', () => server.requests.length === 1);
    const current = { ...old, secretVersion: 2 };
    expect(tokenOf(await tokens.accessTokenOf(current, secretOf())).value).toBe('access-token-2');
    expect(await late).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(await stored(old.id)).toMatchObject({ secretVersion: 2 });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a failure', () => {
  const refuse =
    (error: string, status = 400) =>
    (): TokenReply => ({ status, body: { error } });
  const cut = (): TokenReply => 'cut';
  const beSilent = (): TokenReply => 'silent';

  test('of 1,000 calls is one request, and is remembered for a while', async () => {
    const tokens = [makeTokens(), makeTokens()];
    const credential = newCredential();
    server.reply = refuse('invalid_scope');
    const results = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => tokens[n % 2]?.accessTokenOf(credential, secretOf())),
    );
    for (const result of results) expect(result).toMatchObject({ code: 'TOKEN_REFUSED' });
    expect(server.requests).toHaveLength(1);
    await update(credential.id, { 'failure.until': PAST });
    server.reply = tokenReply;
    expect((await makeTokens().accessTokenOf(credential, secretOf())).ok).toBe(true);
    expect((await stored(credential.id)).failure).toBeNull();
  });

  test('after another doubles the time without a request, up to a bound', async () => {
    const tokens = makeTokens({ refusedMs: 1_000, maxBackoffMs: 3_000 });
    const credential = newCredential();
    server.reply = refuse('invalid_scope');
    const backoffs: number[] = [];
    for (let n = 0; n < 4; n++) {
      await update(credential.id, { 'failure.until': PAST });
      await tokens.accessTokenOf(credential, secretOf());
      const { failure, removeAt } = await stored(credential.id);
      backoffs.push((failure?.until.getTime() ?? 0) - (removeAt.getTime() - 48 * 3_600_000));
    }
    expect(backoffs).toEqual([1_000, 2_000, 3_000, 3_000]);
  });

  test.each([
    ['a refusal', refuse('invalid_scope'), 'TOKEN_REFUSED', '"invalid_scope"'],
    [
      'a refusal with another code',
      refuse('canary_code', 403),
      'TOKEN_REFUSED',
      'refused the client of the credential with status 403',
    ],
    ['an error', () => ({ status: 500, body: 'canary' }), 'TOKEN_UNAVAILABLE', 'status 500'],
    [
      'a redirection',
      () => ({ status: 307, body: '', headers: { location: '/canary' } }),
      'TOKEN_UNAVAILABLE',
      'status 307',
    ],
    ['no token', () => ({ status: 200, body: {} }), 'TOKEN_UNAVAILABLE', 'without an access token'],
    ['a cut connection', cut, 'TOKEN_UNAVAILABLE', 'gave no answer'],
    ['no answer', beSilent, 'TOKEN_UNAVAILABLE', 'within 150 ms'],
    [
      'a long answer',
      () => ({ status: 200, body: 'canary'.repeat(12_000) }),
      'TOKEN_UNAVAILABLE',
      'more than 65536 bytes',
    ],
  ] as const)('by %s says so, and shows no secret', async (_, reply, code, detail) => {
    const credential = newCredential();
    server.reply = reply;
    const tokens = makeTokens({ requestMs: 150 });
    const result = await tokens.accessTokenOf(credential, secretOf());
    expect(result).toEqual({ ok: false, code, detail: expect.stringContaining(detail) });
    const shown = JSON.stringify([result, await stored(credential.id)]);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain('canary');
    expect(server.requests.every(({ path }) => path === '/token')).toBe(true);
  });

  test('to reach the endpoint says so', async () => {
    const gone = await TokenServer.start();
    const { origin, url } = gone;
    await gone.stop();
    const credential = { ...newCredential(), allowedOrigins: [origin] };
    expect(await makeTokens().accessTokenOf(credential, secretOf({ tokenUrl: url }))).toMatchObject(
      {
        code: 'TOKEN_UNAVAILABLE',
        detail: expect.stringContaining('refused the connection'),
      },
    );
  });
});

test('an origin that is not allowed gets no request, whatever was stored', async () => {
  const credential = newCredential();
  const tokens = makeTokens();
  await tokens.accessTokenOf(credential, secretOf());
  const changed = { ...credential, allowedOrigins: ['https://api.example'] };
  const result = await tokens.accessTokenOf(changed, secretOf());
  expect(result).toMatchObject({ code: 'CREDENTIAL_ORIGIN_REFUSED' });
  expect(server.requests).toHaveLength(1);
});

describe('the client authentication', () => {
  const takes = (kind: 'post' | 'basic', refusal: object) => {
    server.reply = ({ authorization, form }, n) =>
      (kind === 'basic' ? authorization : form.client_secret === SECRET)
        ? tokenReply(null, n)
        : { status: 400, body: refusal };
  };

  test.each([{ error: 'invalid_client' }, { error: 'invalid_request' }, {}])(
    'is by the form where HTTP Basic is answered with %j, and stays so',
    async (refusal) => {
      takes('post', refusal);
      const credential = newCredential();
      const tokens = makeTokens();
      expect((await tokens.accessTokenOf(credential, secretOf())).ok).toBe(true);
      expect(server.requests.map(({ authorization }) => !authorization)).toEqual([false, true]);
      await update(credential.id, { 'token.expiresAt': PAST });
      expect((await tokens.accessTokenOf(credential, secretOf())).ok).toBe(true);
      expect(server.requests).toHaveLength(3);
      takes('basic', { error: 'invalid_client' });
      await update(credential.id, { 'token.expiresAt': PAST });
      expect((await tokens.accessTokenOf(credential, secretOf())).ok).toBe(true);
      expect(await stored(credential.id)).toMatchObject({ authentication: 'basic' });
    },
  );

  test.each([
    ['invalid_client', 'invalid_client', 'invalid_client'],
    ['invalid_client', 'invalid_request', 'invalid_client'],
    ['invalid_request', 'invalid_client', 'invalid_client'],
    ['invalid_client', 'invalid_scope', 'invalid_scope'],
    ['invalid_client', 'odd', 'invalid_client'],
  ])('that fails with %s and then %s is refused with %s', async (basic, post, shown) => {
    server.reply = (_, n) => ({ status: 401, body: { error: n === 1 ? basic : post } });
    const result = await makeTokens().accessTokenOf(newCredential(), secretOf());
    expect(result).toMatchObject({ code: 'TOKEN_REFUSED', detail: expect.stringContaining(shown) });
    expect(server.requests).toHaveLength(2);
  });
});

test('a stop aborts the request, gives the lease back and remembers no failure', async () => {
  const credential = newCredential();
  const stopping = makeTokens();
  server.reply = (request, n) => (n === 1 ? 'silent' : tokenReply(request, n));
  const result = stopping.accessTokenOf(credential, secretOf());
  await waitFor('the request', () => server.requests.length === 1);
  const waiting = makeTokens().accessTokenOf(credential, secretOf());
  await stopping.close();
  expect(await result).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  expect(tokenOf(await waiting).value).toBe('access-token-2');
  expect(await stopping.accessTokenOf(newCredential(), secretOf())).toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
  });
  expect(server.requests).toHaveLength(2);
});

test('a call that waits for another process gives up in the end', async () => {
  const credential = newCredential();
  server.reply = () => 'silent';
  const holding = makeTokens();
  const holder = holding.accessTokenOf(credential, secretOf());
  await waitFor('the request', () => server.requests.length === 1);
  const tokens = makeTokens({ budgetMs: 300, leastRequestMs: 100 });
  expect(await tokens.accessTokenOf(credential, secretOf())).toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
    detail: expect.stringContaining('other calls'),
  });
  await holding.close();
  expect((await holder).ok).toBe(false);
  expect(server.requests).toHaveLength(1);
});
