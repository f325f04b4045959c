import { e2e, started } from '../fixtures/e2e.ts';
import { createWorkspace } from '../helpers/people.ts';
import { createFlow, endOf, startRun, stepsOf } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';
import { type Canary, foundIn, makeCanaries } from './secrets/canaries.ts';
import { databaseFiles } from './secrets/database-files.ts';
import { LeakyServer } from './secrets/leaky-server.ts';

/** The shapes in which the server repeats the secrets after the crash. */
const SHAPES = ['', 'keys', 'base64', 'hex', 'uri'];
/** Text that is kept wherever secrets could be: without it a search would have looked at the wrong places. */
const MARKER = 'marker-of-the-search';

/** The secrets of the credentials in turn; every spelling of each can be searched for. */
const canaries = makeCanaries(6);
const canaryAt = (at: number): Canary => {
  const canary = canaries[at];
  if (!canary) throw new Error(`there is no canary ${at}`);
  return canary;
};
const [bearer, basic, key] = [canaryAt(0), canaryAt(1), canaryAt(3)];
/** The secrets of an OAuth client, before and after the change. */
const [client, other] = [canaryAt(2), canaryAt(4)];
/** The secret that replaces `basic`. */
const next = canaryAt(5);

const leaky = started(new LeakyServer());
const { server, owner: ada } = e2e({
  env: () => ({
    OUTBOUND_ALLOW: leaky.host,
    PUBLIC_URL: 'http://service.test', // so that a token outlives the server
    LOG_LEVEL: 'trace',
  }),
});
let workspaceId: number;
beforeAll(async () => {
  workspaceId = await createWorkspace(ada, MARKER);
});

async function send<T = { id: number }>(method: string, path: string, body?: object): Promise<T> {
  const answer = await ada.call<T>(method, path, body ? { body } : {});
  if (answer.status > 204) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
}

interface Described {
  credentialId: number;
  descriptionId: number;
}

/** A credential, with an API description of a call to the server. */
async function describeCall(authType: string, secret: object): Promise<Described> {
  const allowedOrigins = [leaky.origin];
  const { id: credentialId } = await send('POST', '/auth-credentials', {
    workspaceId,
    name: `${MARKER} ${authType}`,
    authType,
    allowedOrigins,
    secret,
  });
  const { id: descriptionId } = await send('POST', '/api-descriptions', {
    workspaceId,
    name: MARKER,
    description: '',
    url: `${leaky.origin}/json`,
    methodType: 'POST',
    authCredentialId: credentialId,
  });
  return { credentialId, descriptionId };
}

const callOf = ({ descriptionId }: Described) => ({
  call: 'apiDescription',
  with: { apiDescriptionId: descriptionId, body: { marker: MARKER } },
});

/** Starts a run of tasks. */
async function startTasks(tasks: readonly object[]): Promise<number> {
  const file = { do: tasks.map((task, at) => ({ [`task${at}`]: task })) };
  const flowId = await createFlow(ada, workspaceId, JSON.stringify(file));
  return (await startRun(ada, flowId)).body.id;
}

/** Asks the server for everything that it was sent. */
const askForAll = (shape: string) => ({
  call: 'http',
  with: { method: 'get', endpoint: `${leaky.origin}/last/${shape}`, output: 'response' },
});

/** Everything that people can read of a run. */
async function readRun(id: number): Promise<string> {
  const steps = await stepsOf(ada, id);
  const paths = ['', '/steps', ...steps.map((step) => `/steps/${step.id}`)];
  const answers = await Promise.all(
    paths.map((path) => ada.call('GET', `/flows/runs/${id}${path}`)),
  );
  return answers.map(({ text }) => text).join('\n');
}

const clientOf = ({ secret: clientSecret }: Canary) => ({
  tokenUrl: `${leaky.origin}/token`,
  clientId: 'shop',
  clientSecret,
  scopes: [],
});

test('a run that goes on after a crash masks what it had sent, though its credentials have changed since', async () => {
  const changed = await describeCall('BASIC', { username: 'ada', password: basic.secret });
  const deleted = await describeCall('BEARER', { token: bearer.secret });
  const kept = await describeCall('API_KEY', { name: 'k', in: 'query', value: key.secret });
  const renewed = await describeCall('OAUTH2_CLIENT_CREDENTIALS', clientOf(client));
  leaky.tokenSeconds = 1;
  leaky.isHolding = true;
  const expire = { wait: { milliseconds: 1_200 } }; // longer than a token is valid
  const runId = await startTasks([
    ...[changed, deleted, kept].map(callOf),
    ...[1, 2, 3, 4, 5].flatMap(() => [callOf(renewed), expire]),
    askForAll(''),
    callOf(changed),
    ...SHAPES.map(askForAll),
  ]);
  await waitFor('the call that is held', () => leaky.held === 1, 60_000);
  const sent = [basic, bearer, key, client, ...tokensSent()];
  expect(sent.length).toBeGreaterThanOrEqual(9);

  await send('PUT', '/auth-credentials', {
    authCredentialId: changed.credentialId,
    secret: { username: 'ada', password: next.secret },
  });
  await send('PUT', '/auth-credentials', {
    authCredentialId: renewed.credentialId,
    secret: clientOf(other),
  });
  await send('PUT', '/api-descriptions', {
    apiDescriptionId: deleted.descriptionId,
    authCredentialId: changed.credentialId,
  });
  await send('DELETE', `/auth-credentials/${deleted.credentialId}`);
  await server.kill();
  const log = server.output();
  leaky.isHolding = false;
  await server.restart();

  expect(await endOf(ada, runId, 60_000)).toMatchObject({ status: 'SUCCESS', error: null });
  const repeated = leaky.seen.join('\n');
  const searched = [...sent, next];
  expect(searched.filter((canary) => foundIn(repeated, [canary]).length === 0)).toEqual([]);
  const answers = await readRun(runId);
  await server.stop();
  const places = {
    answers,
    database: databaseFiles(server.dataDir),
    log: `${log}${server.output()}`,
  };
  expect(places.answers).toContain(MARKER);
  expect(places.answers).not.toContain('sealed');
  expect(places.database).toContain(MARKER);
  expect(places.log).toContain('/auth-credentials');
  for (const [place, text] of Object.entries(places)) {
    expect([place, foundIn(text, searched).slice(0, 20)]).toEqual([place, []]);
  }
});

/** The access tokens that calls have sent. Tokens that were renewed ahead may have been sent by none. */
const tokensSent = (): Canary[] =>
  leaky.tokens.filter((token) => foundIn(leaky.seen.join('\n'), [token]).length > 0);
