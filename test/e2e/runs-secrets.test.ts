import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { join } from 'node:path';
import { e2e, started } from '../fixtures/e2e.ts';
import { LocalServer } from '../helpers/local-server.ts';
import { type RunAnswer, runToEnd, stepsOf } from '../helpers/runs.ts';

/** The secrets that may appear only in the requests and answers of the calls themselves. */
const CANARY = 'canary-';
/** An expression that gives a canary. The flow file, which is kept, has the canary in pieces only. */
const canary = (name: string): string => `$join(["can", "ary-${name}"])`;
/** Text of an answer, which is kept: the search for canaries would find it. */
const MARKER = 'marker-of-the-run';

const EXPRESSION = {
  input: `\${ $ }`,
  headers: `\${ $steps.ask.headers }`,
  error: `\${ $error }`,
};

const AWAY: Record<string, string> = {
  '/private': `http://169.254.169.254/?a=${CANARY}redirect`,
  '/login': `http://name:${CANARY}password@127.0.0.1/`,
  '/circle': `/circle?a=${CANARY}circle`,
};
const SECRET_HEADERS = {
  'set-cookie': [`sid=${CANARY}set-cookie`, `csrf=${CANARY}second`],
  'www-authenticate': `Bearer realm="${CANARY}realm"`,
  'proxy-authenticate': `Basic realm="${CANARY}proxy"`,
  'authentication-info': `nextnonce="${CANARY}nonce"`,
  authorization: `Bearer ${CANARY}authorization`,
  'x-auth-token': `${CANARY}token`,
};

const requests: IncomingMessage[] = [];
const answer: RequestListener = (request, response) => {
  requests.push(request);
  request.resume();
  const { pathname } = new URL(request.url ?? '', 'http://host');
  const location = AWAY[pathname];
  if (location) response.writeHead(308, { location });
  else response.writeHead(pathname === '/refused' ? 401 : 200, SECRET_HEADERS);
  response.end(MARKER);
};

let spans = '';
const target = started(new LocalServer(answer));
const collector = started(
  new LocalServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      spans += chunk.toString();
    });
    request.on('end', () => response.end());
  }),
);
const {
  server,
  owner: ada,
  workspace,
} = e2e({
  env: () => ({
    OUTBOUND_ALLOW: target.host,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    LOG_LEVEL: 'trace',
  }),
});

/** A call with secrets in every place that a request has, to a path of the target unless it is an address. */
function call(where: string): object {
  const address = where.startsWith('/') ? `${target.origin}${where}` : where;
  const inPieces = address.replace('canary', 'can", "ary');
  return {
    call: 'http',
    with: {
      method: 'put',
      endpoint: `\${ $join(["${inPieces}", "?token=", ${canary('token')}]) }`,
      headers: {
        Authorization: `Bearer \${ ${canary('bearer')} }`,
        Cookie: `\${ ${canary('cookie')} }`,
        'X-Api-Key': `\${ ${canary('key')} }`,
      },
      query: { apikey: `\${ ${canary('query')} }` },
      body: { password: `\${ ${canary('body')} }` },
      output: 'response',
    },
  };
}

async function run(...tasks: object[]): Promise<RunAnswer> {
  return runToEnd(ada, await workspace.flow(JSON.stringify({ do: tasks })));
}

/** What people see of a run: itself, its steps in a list and each by itself, the recent runs. */
async function shownOf({ id }: RunAnswer): Promise<string> {
  const steps = await stepsOf(ada, id);
  const paths = [
    `/flows/runs/${id}`,
    `/flows/runs/${id}/steps`,
    `/flows/recent-runs?workspaceId=${workspace.id}`,
    ...steps.map((step) => `/flows/runs/${id}/steps/${step.id}`),
  ];
  const answers = await Promise.all(paths.map((path) => ada.call('GET', path)));
  return answers.map(({ text }) => text).join('\n');
}

test('shows of a call what was asked where, and no header or query of it', async () => {
  const ended = await run(
    { ask: call('/session') },
    { copy: { set: { input: EXPRESSION.input, headers: EXPRESSION.headers } } },
    { again: call('/session') },
  );
  expect(ended).toMatchObject({
    status: 'SUCCESS',
    output: {
      request: { method: 'PUT', uri: `${target.origin}/session` },
      statusCode: 200,
      headers: { 'set-cookie': '***', 'www-authenticate': '***', 'x-auth-token': '***' },
      content: MARKER,
    },
  });
  expect(requests.at(-1)).toMatchObject({
    url: `/session?token=${CANARY}token&apikey=${CANARY}query`,
    headers: { authorization: `Bearer ${CANARY}bearer`, cookie: `${CANARY}cookie` },
  });
  const asked = (await stepsOf(ada, ended.id)).filter(({ request }) => request);
  expect(asked.map(({ name }) => name)).toEqual(['ask', 'again']);
  const shown = await shownOf(ended);
  expect(shown).toContain(MARKER);
  expect(shown).not.toContain(CANARY);
});

test.each([
  ['a status', '/refused', 'HTTP_STATUS'],
  ['a redirection to where it may not go', '/private', 'TARGET_REFUSED'],
  ['a redirection with a password', '/login', 'TARGET_REFUSED'],
  ['redirections without end', '/circle', 'CONNECTION_FAILED'],
  ['a refused target', `http://10.0.0.1/`, 'TARGET_REFUSED'],
  ['a password in the address', `http://name:${CANARY}@127.0.0.1/`, 'TARGET_REFUSED'],
  ['no address', `${CANARY}nowhere`, 'TARGET_REFUSED'],
])('says nothing secret when a call fails by %s', async (_, where, title) => {
  const ended = await run(
    {
      tried: {
        try: [{ inner: call(where) }],
        catch: { do: [{ note: { set: { caught: EXPRESSION.error } } }] },
      },
    },
    { ask: call(where) },
  );
  expect(ended).toMatchObject({ status: 'FAILED', error: { title } });
  const shown = await shownOf(ended);
  expect(shown).toContain('"caught"');
  expect(shown).not.toContain(CANARY);
});

/** Everything that the database has on its disk, its write-ahead log included. */
function databaseFiles(): string {
  const folder = join(server.dataDir, 'db');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}

test('keeps nothing of it in the database, the log and the spans', async () => {
  const running = databaseFiles();
  await server.stop();
  const places = { running, stopped: databaseFiles(), log: server.output(), spans };
  expect(places.stopped).toContain(MARKER);
  expect(places.log).toContain('/flows/');
  expect(places.spans).toContain('server.address');
  for (const [place, text] of Object.entries(places)) {
    expect([place, text.includes(CANARY)]).toEqual([place, false]);
  }
});
