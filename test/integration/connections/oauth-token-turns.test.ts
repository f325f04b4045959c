import { createOutboundClient, type OutboundClient } from '@workspace-automation/outbound-http';
import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import { OAuthTokens } from '../../../services/connections/oauth-tokens/oauth-tokens.ts';
import type { TokenTiming } from '../../../services/connections/oauth-tokens/token-timing.ts';
import { useDatabase } from '../../helpers/database.ts';
import { ownShareOf } from '../../helpers/own-share.ts';
import { PLACE_SEALER } from '../../helpers/place-sealer.ts';
import { TokenServer, tokenReply } from '../../helpers/token-server.ts';
import { waitFor } from '../../helpers/wait.ts';

useDatabase([CredentialTokenModel]);

/** Token requests of one owner in flight at once, and those that may wait. */
const PER_OWNER = 8;
const MAX_QUEUED_PER_OWNER = 100;
const SLOW = 1;
const OTHER = 2;
let server: TokenServer;
let outbound: OutboundClient;
let tokens: OAuthTokens;
let lastId = 0;
let gate: PromiseWithResolvers<void>;
const errors: unknown[] = [];

beforeAll(async () => {
  server = await TokenServer.start();
  outbound = createOutboundClient({ allow: ['127.0.0.0/8'] });
});
beforeEach(() => {
  server.reset();
  gate = Promise.withResolvers();
  // The endpoints of one owner answer when the gate opens.
  server.reply = async ({ form }, n) => {
    if (form.scope === `of-${SLOW}`) await gate.promise;
    return tokenReply(null, n);
  };
});
afterEach(async () => {
  gate.resolve();
  await tokens.close();
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await outbound.close();
  await server.stop();
});

function makeTokens(timing: Partial<TokenTiming> = {}): void {
  const onError = (error: unknown) => void errors.push(error);
  tokens = new OAuthTokens({
    outbound,
    sealer: PLACE_SEALER,
    exists: async () => true,
    shareOf: ownShareOf,
    onError,
    timing,
  });
}

const ask = (workspaceId: number, id = ++lastId) =>
  tokens.accessTokenOf(
    { id, workspaceId, allowedOrigins: [server.origin], secretVersion: 1 },
    {
      tokenUrl: server.url,
      clientId: 'shop',
      clientSecret: 'client-secret',
      scopes: [`of-${workspaceId}`],
    },
  );
const askMany = (workspaceId: number, count: number) =>
  Array.from({ length: count }, () => ask(workspaceId));
const countLeases = () => CredentialTokenModel.countDocuments({ lease: { $ne: null } });

test('an owner with slow token endpoints has eight requests in flight, and others get tokens meanwhile', async () => {
  makeTokens();
  const slow = askMany(SLOW, 3 * PER_OWNER);
  await waitFor('the requests of a turn', () => server.requests.length === PER_OWNER);
  expect(await Promise.all(askMany(OTHER, 20))).toEqual(
    Array.from({ length: 20 }, () => expect.objectContaining({ ok: true })),
  );
  expect(server.requests).toHaveLength(PER_OWNER + 20);
  expect(await countLeases()).toBe(PER_OWNER); // a waiting request holds no lease
  gate.resolve();
  for (const result of await Promise.all(slow)) expect(result.ok).toBe(true);
  expect(server.requests).toHaveLength(3 * PER_OWNER + 20);
});

test('requests beyond the queue of their owner are refused at once, as an endpoint that is away', async () => {
  makeTokens();
  const all = askMany(SLOW, PER_OWNER + MAX_QUEUED_PER_OWNER + 5);
  const refused: unknown[] = [];
  for (const one of all) one.then((result) => result.ok || refused.push(result));
  await waitFor('the refusals', () => refused.length === 5);
  expect(refused[0]).toEqual({
    ok: false,
    code: 'TOKEN_UNAVAILABLE',
    detail: expect.stringContaining("Other token requests of the workspace's owner"),
  });
  expect((await ask(OTHER)).ok).toBe(true);
  gate.resolve();
  await Promise.all(all);
  expect(refused).toHaveLength(5);
});

test('a request that gets no turn within the time of its call ends so', async () => {
  makeTokens({ budgetMs: 3_000, leastRequestMs: 100 });
  const all = await Promise.all(askMany(SLOW, PER_OWNER + 1));
  const detail = expect.stringContaining('took the time of the call');
  expect(all.filter(({ ok }) => ok)).toEqual([]);
  expect(all).toContainEqual({ ok: false, code: 'TOKEN_UNAVAILABLE', detail });
  expect(server.requests).toHaveLength(PER_OWNER);
});

test('a stop ends the requests that wait for their turn', async () => {
  makeTokens();
  const all = askMany(SLOW, PER_OWNER + 2);
  await waitFor('the requests of a turn', () => server.requests.length === PER_OWNER);
  await tokens.close();
  const stopped = { ok: false, code: 'TOKEN_UNAVAILABLE', detail: 'The service stops.' };
  expect(await Promise.all(all)).toContainEqual(stopped);
  expect(server.requests).toHaveLength(PER_OWNER);
  expect(await countLeases()).toBe(0);
});

test('a renewal ahead takes one turn, however many calls see the old token', async () => {
  makeTokens();
  gate.resolve();
  const id = ++lastId;
  await ask(SLOW, id);
  await CredentialTokenModel.updateOne({ _id: id }, { 'token.renewAt': new Date(0) });
  gate = Promise.withResolvers();
  const slow = askMany(SLOW, PER_OWNER);
  await waitFor('the requests of a turn', () => server.requests.length === 1 + PER_OWNER);
  for (let n = 0; n < MAX_QUEUED_PER_OWNER; n++) expect((await ask(SLOW, id)).ok).toBe(true);
  const last = askMany(SLOW, MAX_QUEUED_PER_OWNER - 1); // the renewal has one of the places
  gate.resolve();
  for (const { ok } of await Promise.all([...slow, ...last])) expect(ok).toBe(true);
  const requests = 1 + slow.length + 1 + last.length;
  await waitFor('the renewal', () => server.requests.length === requests);
});
