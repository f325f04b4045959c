import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import type { TokenResult } from '../../../services/connections/oauth-tokens/access-token.ts';
import { useDatabase } from '../../helpers/database.ts';
import { TokenCaller } from '../../helpers/token-caller.ts';
import { TokenServer, tokenReply } from '../../helpers/token-server.ts';
import { waitFor } from '../../helpers/wait.ts';

const database = useDatabase([CredentialTokenModel]);

/** A lease that ends soon after the death of its holder. */
const TIMING = { leaseMs: 2_000, renewalMs: 500 };
let server: TokenServer;
let callers: TokenCaller[];
let lastId = 0;

beforeAll(async () => {
  server = await TokenServer.start();
});
beforeEach(async () => {
  server.reset();
  callers = await Promise.all([0, 1].map(() => TokenCaller.start(database.mongo.uri, TIMING)));
});
afterEach(() => Promise.all(callers.map((caller) => caller.kill())));
afterAll(() => server.stop());

const newOrder = () => ({
  credential: { id: ++lastId, workspaceId: 1, allowedOrigins: [server.origin], secretVersion: 1 },
  secret: { tokenUrl: server.url, clientId: 'shop', clientSecret: 'secret-of-shop', scopes: [] },
  callers: 100,
});
const values = (results: readonly TokenResult[]) =>
  new Set(results.map((result) => (result.ok ? result.value : result.detail)));
const refusals = (results: readonly TokenResult[]) =>
  new Set(results.map((result) => (result.ok ? 'token' : result.code)));

test('the callers of two processes share one request, and one after a refused token', async () => {
  const order = newOrder();
  const both = await Promise.all(callers.map((caller) => caller.ask(order)));
  expect(both.map(values)).toEqual([new Set(['access-token-1']), new Set(['access-token-1'])]);
  const [first] = both.flat();
  if (!first?.ok) throw new Error('no token');
  const again = { ...order, refusedToken: first.tokenId };
  const next = await Promise.all(callers.map((caller) => caller.ask(again)));
  expect(next.map(values)).toEqual([new Set(['access-token-2']), new Set(['access-token-2'])]);
  expect(server).toMatchObject({ mostAtOnce: 1, requests: { length: 2 } });
});

test('the callers of two processes share a refusal', async () => {
  const order = newOrder();
  server.reply = () => ({ status: 400, body: { error: 'invalid_scope' } });
  const both = await Promise.all(callers.map((caller) => caller.ask(order)));
  expect(both.map(refusals)).toEqual([new Set(['TOKEN_REFUSED']), new Set(['TOKEN_REFUSED'])]);
  expect(server.requests).toHaveLength(1);
});

test('a slow endpoint is asked by one process for longer than a lease', async () => {
  const order = newOrder();
  const gate = Promise.withResolvers<void>();
  server.reply = (request, n) => gate.promise.then(() => tokenReply(request, n));
  const both = Promise.all(callers.map((caller) => caller.ask(order)));
  await waitFor('the request', () => server.requests.length === 1);
  const { lease } = await CredentialTokenModel.findById(order.credential.id).orFail().lean();
  const isRenewedTwice = async () => {
    const now = await CredentialTokenModel.findById(order.credential.id).orFail().lean();
    const until = now.lease?.until.getTime() ?? 0;
    return until - (lease?.until.getTime() ?? 0) > TIMING.leaseMs;
  };
  await waitFor('a lease beyond the first', isRenewedTwice);
  gate.resolve();
  expect((await both).map(values)).toEqual([
    new Set(['access-token-1']),
    new Set(['access-token-1']),
  ]);
  expect(server).toMatchObject({ mostAtOnce: 1, requests: { length: 1 } });
});

test('after the death of the process that asks, another goes on once the lease has run out', async () => {
  const order = newOrder();
  const [dying, living] = callers as [TokenCaller, TokenCaller];
  server.reply = (request, n) => (n === 1 ? 'silent' : tokenReply(request, n));
  const lost = dying.ask(order);
  lost.catch(() => undefined);
  await waitFor('the request', () => server.requests.length === 1);
  const waiting = living.ask(order);
  await dying.kill();
  await expect(lost).rejects.toThrow('has ended');
  expect(values(await waiting)).toEqual(new Set(['access-token-2']));
  expect(server.requests).toHaveLength(2);
});
