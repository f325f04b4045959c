import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { ROLES, type Role, SCOPES } from '../../../contract/access-rule.ts';
import { request } from '../../helpers/http.ts';
import { addMember, type Person, register, registerVerified } from '../../helpers/people.ts';
import { waitFor } from '../../helpers/wait.ts';
import { operations } from '../permissions-matrix.ts';
import type { World } from '../sample-world.ts';
import type { CallerTraits } from './expected-answer.ts';

/** A kind of caller, with the credentials that its requests carry. */
export interface MatrixCaller {
  name: string;
  traits: CallerTraits;
  token?: string;
  headers?: Record<string, string>;
  /** The address of a person. */
  email?: string;
}

/** The domain whose verified addresses belong to operators. */
const OPERATORS = 'operators.example';

/** A signing key, and the environment of a service that signs with the key. */
export function makeSigningKey(): { env: Record<string, string>; jwk: Record<string, string> } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'one' } as Record<string, string>;
  return {
    jwk,
    env: {
      JWT_PRIVATE_KEYS: JSON.stringify({ keys: [jwk] }),
      OPERATOR_EMAIL_SUFFIXES: `@${OPERATORS}`,
    },
  };
}

/** Makes a token like the given one, with other claims and another header. */
function signAgain(
  token: string,
  jwk: Record<string, string>,
  claims: object,
  header: object = {},
): string {
  const [head, body] = token.split('.').map((part, i) => {
    if (i > 1) return part;
    const present = JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
    const changed = { ...present, ...(i === 0 ? header : claims) };
    return Buffer.from(JSON.stringify(changed)).toString('base64url');
  });
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const input = `${head}.${body}`;
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

async function ask<T>(person: Person, method: string, path: string, options = {}): Promise<T> {
  const { status, body, text } = await person.call<T>(method, path, options);
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return body;
}

const personOf = (name: string, person: Person, traits: Partial<CallerTraits>): MatrixCaller => ({
  name,
  token: person.token,
  email: person.email,
  traits: { kind: 'person', role: null, ...traits } as CallerTraits,
});

/** Every kind of caller that the system has, for requests to the workspace of `home`. */
export async function makeCallers(
  home: World,
  away: World,
  jwk: Record<string, string>,
): Promise<MatrixCaller[]> {
  const callers = await Promise.all([
    makeMembers(home, away),
    makeStrangers(home),
    makeInvalid(home, jwk),
    makeAccounts(home, away),
    makeKeys(home, away),
  ]);
  return callers.flat();
}

async function makeMembers(home: World, away: World): Promise<MatrixCaller[]> {
  const others = ROLES.filter((role) => role !== 'OWNER');
  const of = (world: World) =>
    Promise.all(others.map((role) => addMember(world.url, world.owner, world.workspaceId, role)));
  const [members, strangers] = await Promise.all([of(home), of(away)]);
  return [
    personOf('OWNER', home.owner, { role: 'OWNER' }),
    ...members.map((person, i) => personOf(`${others[i]}`, person, { role: others[i] ?? null })),
    personOf('OWNER elsewhere', away.owner, { elsewhere: 'OWNER' }),
    ...strangers.map((person, i) =>
      personOf(`${others[i]} elsewhere`, person, { elsewhere: others[i] ?? 'GUEST' }),
    ),
  ];
}

async function makeStrangers({ url, owner, workspaceId }: World): Promise<MatrixCaller[]> {
  const [nobody, pending, operator, removed] = await Promise.all([
    registerVerified(url, 'Outsider'),
    register(url, 'Pending'),
    registerVerified(url, 'Operator', OPERATORS),
    addMember(url, owner, workspaceId, 'ADMIN'),
  ]);
  const users = `/workspaces/${workspaceId}/users`;
  const query = { userEmail: pending.email, role: 'ADMIN' };
  await ask(owner, 'POST', users, { query });
  await ask(owner, 'DELETE', users, { query: { userEmail: removed.email } });
  const { body: me } = await operator.call<{ operator: boolean }>('GET', '/auth/me');
  if (!me.operator) throw new Error('the operator is none');
  return [
    personOf('a person without a workspace', nobody, {}),
    personOf('a member whose address is unverified', pending, {}),
    personOf('an operator', operator, { operator: true }),
    personOf('a former member', removed, {}),
  ];
}

async function makeInvalid(
  { url, owner, workspaceId }: World,
  jwk: Record<string, string>,
): Promise<MatrixCaller[]> {
  const ended = await addMember(url, owner, workspaceId, 'ADMIN');
  await request(url, 'POST', '/auth/sign-out', { body: { refreshToken: ended.refreshToken } });
  const seconds = Math.floor(Date.now() / 1000);
  const expired = signAgain(owner.token, jwk, { iat: seconds - 3600, exp: seconds - 1800 });
  const foreign = signAgain(owner.token, makeSigningKey().jwk, {});
  const unknown = signAgain(owner.token, jwk, { sub: 'user:9007199254740000' });
  const traits: CallerTraits = { kind: 'invalid-token' };
  const callers: MatrixCaller[] = [
    { name: 'no token', traits: { kind: 'nobody' } },
    { name: 'a malformed token', token: 'x', traits },
    { name: 'an expired token', token: expired, traits },
    { name: "another signer's token", token: foreign, traits },
    { name: 'a token of nobody', token: unknown, traits },
    {
      name: 'a token for another audience',
      token: signAgain(owner.token, jwk, { aud: 'https://elsewhere.example' }),
      traits,
    },
    {
      name: 'a token of another type',
      token: signAgain(owner.token, jwk, {}, { typ: 'JWT' }),
      traits,
    },
    {
      name: 'a token without an algorithm',
      token: signAgain(owner.token, jwk, {}, { alg: 'none' }),
      traits,
    },
    { name: 'an ended session', token: ended.token, traits },
  ];
  if (!operations.some(({ name }) => name === 'identity.removeUser')) return callers;
  const deleted = await addMember(url, owner, workspaceId, 'ADMIN');
  await ask(deleted, 'DELETE', `/users/${deleted.id}`);
  return [...callers, { name: 'a deleted person', token: deleted.token, traits }];
}

async function makeAccounts(home: World, away: World): Promise<MatrixCaller[]> {
  if (!operations.some(({ path }) => path === '/auth/token')) return [];
  const roles = ROLES.filter((role) => role !== 'OWNER');
  const make = async (world: World, role: Role, isHome: boolean): Promise<MatrixCaller> => ({
    name: `a service account, ${role}${isHome ? '' : ' elsewhere'}`,
    token: (await makeAccount(world, role)).token,
    traits: {
      kind: 'service-account',
      ...(isHome ? { role } : { role: null, elsewhere: role }),
    },
  });
  const removed = await makeAccount(home, 'ADMIN');
  await ask(home.owner, 'DELETE', `/service-accounts/${removed.id}`);
  return [
    ...(await Promise.all(roles.map((role) => make(home, role, true)))),
    ...(await Promise.all(roles.map((role) => make(away, role, false)))),
    {
      name: 'a removed service account',
      token: removed.token,
      traits: { kind: 'invalid-token' },
    },
  ];
}

async function makeAccount({ url, owner, workspaceId }: World, role: string) {
  const body = { workspaceId, name: role, role };
  const account = await ask<{ id: number; clientId: string; clientSecret: string }>(
    owner,
    'POST',
    '/service-accounts',
    { body },
  );
  const { body: answer } = await request<{ access_token: string }>(url, 'POST', '/auth/token', {
    body: {
      grant_type: 'client_credentials',
      client_id: account.clientId,
      client_secret: account.clientSecret,
    },
  });
  return { id: account.id, token: answer.access_token };
}

/** The key decides where keys count, and is not read elsewhere. */
const BESIDE_TOKEN: CallerTraits = { kind: 'person', role: 'OWNER', showsBadKey: true };

/** Milliseconds after which the expiring key of `makeKeys` has expired. */
const KEY_LIFETIME_MS = 1500;

async function makeKeys(home: World, away: World): Promise<MatrixCaller[]> {
  const make = ({ owner, workspaceId }: World, scopes: readonly string[], more = {}) =>
    ask<{ id: number; key: string }>(owner, 'POST', '/api-keys', {
      body: { workspaceId, name: 'matrix', scopes, ...more },
    });
  const keyCaller = (name: string, key: string, traits: CallerTraits): MatrixCaller => ({
    name,
    headers: { 'x-api-key': key },
    traits,
  });
  const invalid: CallerTraits = { kind: 'invalid-key' };
  const all: CallerTraits = { kind: 'api-key', isHome: true, scopes: SCOPES };
  const beside = await addMember(home.url, home.owner, home.workspaceId, 'OWNER');
  const whole = await make(home, SCOPES);
  const revoked = await make(home, SCOPES);
  await ask(home.owner, 'DELETE', `/api-keys/${revoked.id}`);
  const expiresAt = new Date(Date.now() + KEY_LIFETIME_MS);
  const expired = await make(home, SCOPES, { expiresAt: expiresAt.toISOString() });
  await waitFor('the expiry of a key', async () => new Date() > expiresAt || undefined);
  return [
    keyCaller('a key with every scope', whole.key, all),
    ...(await Promise.all(
      SCOPES.map(async (scope) =>
        keyCaller(`a key with ${scope}`, (await make(home, [scope])).key, {
          kind: 'api-key',
          isHome: true,
          scopes: [scope],
        }),
      ),
    )),
    keyCaller('a key of another workspace', (await make(away, SCOPES)).key, {
      kind: 'api-key',
      isHome: false,
      scopes: SCOPES,
    }),
    keyCaller('a revoked key', revoked.key, invalid),
    keyCaller('an expired key', expired.key, invalid),
    keyCaller('a malformed key', 'wsk_x', invalid),
    keyCaller('a key with a false checksum', `${whole.key.slice(0, -1)}_`, invalid),
    {
      ...keyCaller('an invalid key beside a valid token', 'wsk_x', BESIDE_TOKEN),
      token: beside.token,
      email: beside.email,
    },
  ];
}
