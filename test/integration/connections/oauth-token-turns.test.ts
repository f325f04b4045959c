import { CredentialTokenModel } from '../../../models/credential-token.model.ts';
import { useOAuthTokens } from '../../helpers/oauth-tokens.ts';
import { tokenReply } from '../../helpers/token-server.ts';
import { waitFor } from '../../helpers/wait.ts';

const { server, makeTokens, newCredential, secretOf } = useOAuthTokens();

/** Token requests of one owner in flight at once, and those that may wait. */
const PER_OWNER = 8;
const MAX_QUEUED_PER_OWNER = 100;
const SLOW = 1;
const OTHER = 2;
let tokens: ReturnType<typeof makeTokens>;
let gate: PromiseWithResolvers<void>;
beforeEach(() => {
  tokens = makeTokens();
  gate = Promise.withResolvers();
  // The endpoints of one owner answer when the gate opens.
  server.reply = async ({ form }, n) => {
    if (form.scope === `of-${SLOW}`) await gate.promise;
    return tokenReply(null, n);
  };
});
afterEach(() => gate.resolve());

const ask = (workspaceId: number, { id } = newCredential()) =>
  tokens.accessTokenOf(
    newCredential({ id, workspaceId }),
    secretOf({ scopes: [`of-${workspaceId}`] }),
  );
const askMany = (workspaceId: number, count: number) =>
  Array.from({ length: count }, () => ask(workspaceId));
const countLeases = () => CredentialTokenModel.countDocuments({ lease: { $ne: null } });

test('an owner with slow token endpoints has eight requests in flight, and others get tokens meanwhile', async () => {
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
  tokens = makeTokens({ budgetMs: 3_000, leastRequestMs: 100 });
  const all = await Promise.all(askMany(SLOW, PER_OWNER + 1));
  const detail = expect.stringContaining('took the time of the call');
  expect(all.filter(({ ok }) => ok)).toEqual([]);
  expect(all).toContainEqual({ ok: false, code: 'TOKEN_UNAVAILABLE', detail });
  expect(server.requests).toHaveLength(PER_OWNER);
});

test('a stop ends the requests that wait for their turn', async () => {
  const all = askMany(SLOW, PER_OWNER + 2);
  await waitFor('the requests of a turn', () => server.requests.length === PER_OWNER);
  await tokens.close();
  const stopped = { ok: false, code: 'TOKEN_UNAVAILABLE', detail: 'The service stops.' };
  expect(await Promise.all(all)).toContainEqual(stopped);
  expect(server.requests).toHaveLength(PER_OWNER);
  expect(await countLeases()).toBe(0);
});

test('a renewal ahead takes one turn, however many calls see the old token', async () => {
  gate.resolve();
  const credential = newCredential();
  await ask(SLOW, credential);
  await CredentialTokenModel.updateOne({ _id: credential.id }, { 'token.renewAt': new Date(0) });
  gate = Promise.withResolvers();
  const slow = askMany(SLOW, PER_OWNER);
  await waitFor('the requests of a turn', () => server.requests.length === 1 + PER_OWNER);
  for (let n = 0; n < MAX_QUEUED_PER_OWNER; n++)
    expect((await ask(SLOW, credential)).ok).toBe(true);
  const last = askMany(SLOW, MAX_QUEUED_PER_OWNER - 1); // the renewal has one of the places
  gate.resolve();
  for (const { ok } of await Promise.all([...slow, ...last])) expect(ok).toBe(true);
  const requests = 1 + slow.length + 1 + last.length;
  await waitFor('the renewal', () => server.requests.length === requests);
});
