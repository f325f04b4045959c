import http from 'node:http';
import { e2e } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from '../helpers/http.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { createFlow, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const RESTING = 'do:\n  - rest: { wait: { days: 1 } }\n';

const { server } = e2e({ env: { WAITING_PER_CALLER: '5', WAITING_PER_PROCESS: '8' } });

const somebodies: Somebody[] = [];
const answered: Promise<unknown>[] = [];
/** Ends all waits, since a place is held until then. */
afterEach(async () => {
  for (const one of somebodies.splice(0)) await cancelAll(one);
  await Promise.all(answered.splice(0));
});

/** Somebody with a flow whose runs rest for longer than anybody waits. */
async function somebody(): Promise<Somebody> {
  const person = await register(server.url);
  const flow = await createFlow(person, await createWorkspace(person), RESTING);
  somebodies.push({ person, flow });
  return { person, flow };
}
interface Somebody {
  person: Person;
  flow: number;
}
async function cancelAll({ person, flow }: Somebody): Promise<void> {
  const { body } = await person.call<{ id: number }[]>('GET', `/flows/${flow}/runs`);
  for (const { id } of body) await person.call('POST', `/flows/runs/${id}/cancel`);
}

/** Waits for a run for as long as it may, until the client is destroyed. */
function poll({ person, flow }: Somebody): { client: http.ClientRequest; refused: () => boolean } {
  let status = 0;
  const client = http.request(
    `${server.url}/flows/${flow}/runs?wait=30000`,
    { method: 'POST', agent: false, headers: { authorization: `Bearer ${person.token}` } },
    (answer) => {
      status = answer.statusCode ?? 0;
      answer.resume();
    },
  );
  client.on('error', () => undefined).end();
  answered.push(new Promise((resolve) => client.once('close', resolve)));
  return { client, refused: () => status === 429 };
}
/** Many at once, when as many as `refused` of them have been. */
async function pollUntil(who: Somebody, many: number, refused: number) {
  const polls = Array.from({ length: many }, () => poll(who));
  await waitFor('the refusals', () => polls.filter((one) => one.refused()).length === refused);
  await waitFor('the runs', async () => (await runsOf(who)) >= many - refused);
  return polls.filter((one) => !one.refused());
}
const runsOf = async ({ person, flow }: Somebody) =>
  (await person.call<unknown[]>('GET', `/flows/${flow}/runs`)).body.length;
const start = ({ person, flow }: Somebody, wait?: number) =>
  startRun(person, flow, { ...(wait === undefined ? {} : { wait }) }) as unknown as Promise<
    Answer<ProblemBody>
  >;

it('lets so many requests of a caller wait, and refuses the rest at once', async () => {
  const ada = await somebody();
  await pollUntil(ada, 30, 25);
  expect(await runsOf(ada)).toBe(5); // a refused request starts nothing
  const { status, headers, body } = await start(ada, 1);
  expect([status, headers['retry-after']]).toEqual([429, '1']);
  expect(body).toMatchObject({
    code: 'TOO_MANY_WAITING',
    detail: '5 requests of one caller may wait at once.',
    quota: 'WAITING_PER_CALLER',
    limit: 5,
  });
});

it('counts nobody who does not wait', async () => {
  const ada = await somebody();
  await pollUntil(ada, 6, 1);
  expect([(await start(ada)).status, (await start(ada, 0)).status]).toEqual([202, 202]);
});

it('holds a place until its wait has ended, though its client has gone', async () => {
  const ada = await somebody();
  for (const { client } of await pollUntil(ada, 5, 0)) client.destroy();
  await waitFor('the clients gone', () => linesOf(ada, 499) === 5);
  expect((await start(ada, 1)).status).toBe(429);
  await cancelAll(ada);
  await waitFor('a place', async () => (await start(ada, 1)).status === 202);
});

const linesOf = ({ person }: Somebody, status: number): number =>
  server.logLines().filter((line) => line.status === status && line.caller === `user:${person.id}`)
    .length;

it('gives a place back when its answer is sent, be it a refusal', async () => {
  const ada = await somebody();
  for (let n = 0; n < 12; n++) expect((await start(ada, 1)).status).toBe(202);
  const flow = 987_654_321;
  for (let n = 0; n < 12; n++) expect((await start({ ...ada, flow }, 30_000)).status).toBe(404);
  for (let n = 0; n < 12; n++) expect((await start(ada, 99_999)).status).toBe(400);
});

it('lets so many wait in a process, whoever they are', async () => {
  const [ada, eve] = [await somebody(), await somebody()];
  await pollUntil(ada, 5, 0);
  await pollUntil(eve, 5, 2);
  const { status, body } = await start(eve, 1);
  expect(status).toBe(429);
  expect(body).toMatchObject({ quota: 'WAITING_PER_PROCESS', limit: 8 });
});
