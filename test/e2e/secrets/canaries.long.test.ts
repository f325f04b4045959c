import { e2e, started } from '../../fixtures/e2e.ts';
import type { Answer, RequestOptions } from '../../helpers/http.ts';
import { LocalServer } from '../../helpers/local-server.ts';
import { createWorkspace } from '../../helpers/people.ts';
import { createFlow, endOf, type RunAnswer, runToEnd, stepsOf } from '../../helpers/runs.ts';
import { type Canary, foundIn, makeCanaries } from './canaries.ts';
import { databaseFiles } from './database-files.ts';
import { LeakyServer } from './leaky-server.ts';

const CANARIES = 50;
/** Text that is kept wherever secrets could be: without it a search would have looked at the wrong places. */
const MARKER = 'marker-of-the-search';
/** The shapes in which the called server repeats what it is sent, some with a status that is an error. */
const SHAPES = [
  'json',
  'keys',
  'base64',
  'hex',
  'uri',
  'broken',
  'packed',
  'away',
  'html',
  'json/401',
];

/** The fifty secrets. A bearer token has no other characters than those of RFC 6750. */
const canaries = makeCanaries(CANARIES).map((canary, at) =>
  at % 5 === 1 ? { ...canary, secret: canary.secret.replaceAll(/[^\w~+/]/g, '~') } : canary,
);
let spans = '';
const leaky = started(new LeakyServer());
const collector = started(
  new LocalServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      spans += chunk.toString();
    });
    request.on('end', () => response.end());
  }),
);
const { server, owner: ada } = e2e({
  env: () => ({
    OUTBOUND_ALLOW: leaky.host,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    LOG_LEVEL: 'trace',
  }),
});
let workspaceId: number;
beforeAll(async () => {
  workspaceId = await createWorkspace(ada, MARKER);
});
/** Everything that the service has answered. */
const answers: string[] = [];

/** Sends a request and keeps the answer for the search. */
async function call<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<T>> {
  const answer = await ada.call<T>(method, path, options);
  answers.push(`${method} ${path} ${JSON.stringify(answer.headers)} ${answer.text}`);
  return answer;
}

/** The secret of the kind that a canary's number gives, in each place where the kind has one. */
function credentialOf({ secret }: Canary, at: number): { authType: string; secret: object } {
  switch (at % 5) {
    case 0:
      return { authType: 'BASIC', secret: { username: 'ada', password: secret } };
    case 1:
      return { authType: 'BEARER', secret: { token: secret } };
    case 2:
      return { authType: 'API_KEY', secret: { name: 'x-shop', in: 'header', value: secret } };
    case 3:
      return { authType: 'API_KEY', secret: { name: 'shop key', in: 'query', value: secret } };
    default:
      return {
        authType: 'OAUTH2_CLIENT_CREDENTIALS',
        secret: {
          tokenUrl: `${leaky.origin}/token`,
          clientId: 'shop',
          clientSecret: secret,
          scopes: ['orders:read'],
        },
      };
  }
}

async function createCredential(canary: Canary, at: number): Promise<number> {
  const { status, body, text } = await call<{ id: number }>('POST', '/auth-credentials', {
    body: {
      workspaceId,
      name: `${MARKER} ${at}`,
      allowedOrigins: [leaky.origin],
      ...credentialOf(canary, at),
    },
    headers: { 'idempotency-key': `credential-${at}` },
  });
  if (status !== 201) throw new Error(`creating a credential answered ${status}: ${text}`);
  return body.id;
}

async function createDescription(authCredentialId: number, at: number): Promise<number> {
  const shape = SHAPES[at % SHAPES.length] ?? '';
  const { status, body, text } = await call<{ id: number }>('POST', '/api-descriptions', {
    body: {
      workspaceId,
      name: `${MARKER} ${at}`,
      description: '',
      url: `${leaky.origin}/${shape}?order={order}`,
      methodType: 'POST',
      authCredentialId,
    },
  });
  if (status !== 200) throw new Error(`creating a description answered ${status}: ${text}`);
  return body.id;
}

/** A flow that calls each description, catches its failure, asks the server for all secrets so far, and fails at last. */
const flowOf = (descriptions: readonly number[]): string =>
  JSON.stringify({
    do: [
      ...descriptions.map((apiDescriptionId, at) => ({
        [`call${at}`]: {
          try: [
            {
              [`inner${at}`]: {
                call: 'apiDescription',
                with: {
                  apiDescriptionId,
                  credential: at === 1 ? 'source' : undefined,
                  query: { order: MARKER },
                  body: { marker: MARKER },
                },
              },
            },
          ],
          catch: { do: [{ [`caught${at}`]: { set: { caught: `\${ $error }` } } }] },
        },
      })),
      { last: { call: 'http', with: { method: 'get', endpoint: `${leaky.origin}/last` } } },
      { copy: { set: { all: `\${ $string($steps) }`, marker: MARKER } } },
      {
        fail: {
          raise: {
            error: {
              type: 'https://example.com/failed',
              status: 500,
              title: 'FAILED',
              detail: `\${ $string($steps.last) & "${MARKER}" }`,
            },
          },
        },
      },
    ],
  });

/** Reads a run as people do. */
async function readRun(id: number): Promise<void> {
  for (const step of await stepsOf(ada, id))
    await call('GET', `/flows/runs/${id}/steps/${step.id}`);
  for (const path of ['', '/steps']) await call('GET', `/flows/runs/${id}${path}`);
  await call('GET', `/flows/recent-runs?workspaceId=${workspaceId}`);
}

test('credentials take fifty secrets, are tested and changed, and are refused with secrets in the request', async () => {
  for (const [at, canary] of canaries.entries()) {
    const id = await createCredential(canary, at);
    const descriptionId = await createDescription(id, at);
    for (const path of [`/auth-credentials/${id}`, `/api-descriptions/${descriptionId}`]) {
      await call('GET', path);
    }
    const { secret } = credentialOf(canary, at);
    const authCredentialId = id;
    await call('PUT', '/auth-credentials', { body: { authCredentialId, secret } });
    await call('PUT', '/auth-credentials', {
      body: { authCredentialId, secret: { ...secret, unknown: canary.secret } },
    });
    await call('PUT', '/auth-credentials', {
      body: { authCredentialId, secret: canary.secret, name: 7 },
    });
    await call('POST', `/auth-credentials/${id}/test`, { body: { url: `${leaky.origin}/html` } });
    await call('POST', `/auth-credentials/${id}/test`, { body: { url: 'http://10.0.0.1/' } });
    await call('POST', `/api-descriptions/${descriptionId}/test`, {
      body: { query: { order: MARKER }, body: { marker: MARKER } },
    });
    await call('DELETE', `/auth-credentials/${id}`);
    expect(leaky.seen.some((seen) => foundIn(seen, [canary]).length > 0)).toBe(true);
  }
});

test('runs call with the secrets, repeat the answers, and fail with them', async () => {
  const { body: descriptions } = await call<{ id: number; authCredentials: { id: number } }[]>(
    'GET',
    `/workspaces/${workspaceId}/api-descriptions`,
  );
  expect(descriptions).toHaveLength(CANARIES);
  for (let from = 0; from < CANARIES; from += 10) {
    const some = descriptions.slice(from, from + 10);
    leaky.forget(); // a run hides the secrets that it has used itself
    const flowId = await createFlow(ada, workspaceId, flowOf(some.map(({ id }) => id)));
    const pair = { flowId, sourceAuthCredentialId: some[0]?.authCredentials.id };
    const { body: store } = await call<{ id: number }>('POST', '/configurations', {
      body: {
        workspaceId,
        name: MARKER,
        flowCredentialPairs: [pair],
        properties: [{ key: 'marker', value: MARKER }],
      },
    });
    const body = { configuration: store.id };
    const { body: configured } = await call<RunAnswer>('POST', `/flows/${flowId}/runs`, { body });
    await endOf(ada, configured.id);
    await runToEnd(ada, flowId);
    // The second call has the first one's credential, and OAuth calls have tokens that the tests fetched.
    const sent = canaries.slice(from, from + 10).filter((_, at) => at !== 1 && at % 5 !== 4);
    const repeated = leaky.seen.join('\n');
    expect(sent.filter((canary) => foundIn(repeated, [canary]).length === 0)).toEqual([]);
    const { body: runs } = await call<{ id: number }[]>('GET', `/flows/${flowId}/runs`);
    for (const run of runs) await readRun(run.id);
  }
  for (const list of ['auth-credentials', 'audit-log', 'flows']) {
    await call('GET', `/workspaces/${workspaceId}/${list}`);
  }
});

test('no secret is in an answer, the database, the log or a span', async () => {
  const running = databaseFiles(server.dataDir);
  await server.stop();
  const places = {
    answers: answers.join('\n'),
    running,
    stopped: databaseFiles(server.dataDir),
    log: server.output(),
    spans,
  };
  expect(leaky.tokens.length).toBeGreaterThan(0);
  expect(places.answers).toContain(MARKER);
  expect(places.stopped).toContain(MARKER);
  expect(places.log).toContain('/auth-credentials');
  expect(places.spans).toContain('server.address');
  const searched = [...canaries, ...leaky.tokens];
  for (const [place, text] of Object.entries(places)) {
    expect([place, foundIn(text, searched).slice(0, 20)]).toEqual([place, []]);
  }
});
