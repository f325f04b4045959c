import type { Params } from '../../contracts.ts';
import type { StoredApiDescription } from '../api-descriptions/api-descriptions.store.ts';
import type { StoredAuthCredential } from '../auth-credentials/auth-credentials.store.ts';
import { prepareCredential } from '../auth-credentials/prepare-credential.ts';
import { prepareCall } from '../calls/prepare-call.ts';
import type { TestAnswer } from '../contract/test-calls.ts';
import type { OutboundAccess } from '../outbound-access.ts';
import { sendTest } from './send-test.ts';
import { targetRefused } from './test-call.problems.ts';

const URL_FIELD = { in: 'body', path: 'url' } as const;

/** Sends one GET request to a URL with the secret of a credential. */
export async function testAuthCredential(
  credential: StoredAuthCredential,
  { url }: Params<'connections.testAuthCredential'>,
  access: OutboundAccess,
): Promise<TestAnswer> {
  const target = URL.parse(url);
  if (!target) throw targetRefused(URL_FIELD, 'invalid_url', 'must be an absolute URL');
  return sendTest(
    {
      async prepare(refusedToken) {
        const prepared = await prepareCredential(credential, target, access, { refusedToken });
        return prepared.ok ? { ...prepared, method: 'GET' } : prepared;
      },
      headers: {},
      body: null,
      target: URL_FIELD,
    },
    access.outbound,
  );
}

/** Sends one request through an API description, with its own credential. */
export async function testApiDescription(
  { _id, workspaceId }: StoredApiDescription,
  params: Params<'connections.testApiDescription'>,
  access: OutboundAccess,
): Promise<TestAnswer> {
  const { path, query, headers, body } = params;
  const call = {
    workspaceId,
    apiDescriptionId: _id,
    credential: { kind: 'own' },
    path: mapValues(path, String),
    query: mapValues(query, (value) => (Array.isArray(value) ? value.map(String) : String(value))),
  } as const;
  return sendTest(
    {
      prepare: (refusedToken) => prepareCall({ ...call, refusedToken }, access),
      headers: body === undefined ? headers : { ...typeOf(body, headers), ...headers },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      target: { in: 'path', path: 'id' },
    },
    access.outbound,
  );
}

const mapValues = <T, R>(values: Record<string, T>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** The header with the type of a body, where the request names none. */
function typeOf(body: unknown, headers: Record<string, string>): Record<string, string> {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) return {};
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  return { 'content-type': type };
}
