import type { Refusable } from '../../fixtures/e2e.ts';
import { e2e } from '../../fixtures/e2e.ts';
import { nextPage } from '../../helpers/pages.ts';
import { createWorkspace } from '../../helpers/people.ts';
import {
  click,
  createRecording,
  type RecordingAnswer,
  record,
  SCREEN,
  sendEvents,
} from '../../helpers/recordings.ts';

type Body = Refusable<RecordingAnswer>;

const { owner, stranger, workspace } = e2e();

const post = (body: object, headers = {}) =>
  owner.call<Body>('POST', '/recordings', { body, headers });
const get = (id: number, headers = {}) => owner.call<Body>('GET', `/recordings/${id}`, { headers });
const act = (id: number, verb: string) => owner.call<Body>('POST', `/recordings/${id}/${verb}`);

it('begin without events', async () => {
  const { status, headers, body } = await post({
    workspaceId: workspace.id,
    name: ' Invoice ',
    screen: SCREEN,
  });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      workspaceId: workspace.id,
      name: 'Invoice',
      screen: SCREEN,
      status: 'RECORDING',
      nextSequence: 1,
      eventCount: 0,
      createdBy: { type: 'person', id: owner.id, name: 'Owner Lovelace' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      finishedAt: null,
    },
  ]);
  expect(headers.location).toBe(`/recordings/${body.id}`);
  expect((await get(body.id)).body).toEqual(body);
});

it.each([
  ['no screen', { name: 'x' }, ['screen']],
  ['a screen of text', { name: 'x', screen: { ...SCREEN, width: '1' } }, ['screen.width']],
  ['a scale of 0', { name: 'x', screen: { ...SCREEN, scale: 0 } }, ['screen.scale']],
  ['an empty name', { name: ' ', screen: SCREEN }, ['name']],
  ['a status', { name: 'x', screen: SCREEN, status: 'PAUSED' }, ['status']],
])('are refused with %s', async (_what, body, fields) => {
  const { status, body: problem } = await post({ workspaceId: workspace.id, ...body });
  expect([status, problem.errors?.map(({ path }) => path)]).toEqual([400, fields]);
});

it('are made once with an Idempotency-Key', async () => {
  const headers = { 'idempotency-key': `recording-${Math.random()}` };
  const body = { workspaceId: workspace.id, name: 'once', screen: SCREEN };
  const [first, again] = [await post(body, headers), await post(body, headers)];
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(again.body).toEqual(first.body);
});

it('go from RECORDING to PAUSED and back, and to FINISHED for good', async () => {
  const { id } = await createRecording(owner, workspace.id);
  const statuses: unknown[] = [];
  for (const verb of ['resume', 'pause', 'pause', 'resume', 'pause', 'finish', 'finish']) {
    const { status, body } = await act(id, verb);
    statuses.push(status === 200 ? body.status : status);
  }
  expect(statuses).toEqual([
    ...['RECORDING', 'PAUSED', 'PAUSED', 'RECORDING', 'PAUSED', 'FINISHED', 'FINISHED'],
  ]);
  const { body: finished } = await get(id);
  expect(finished.finishedAt).toMatch(/Z$/);
  expect((await act(id, 'finish')).body).toEqual(finished);
  for (const verb of ['pause', 'resume']) {
    const { status, body } = await act(id, verb);
    expect([status, body.code]).toEqual([409, 'RECORDING_FINISHED']);
  }
});

it.each([
  ['pause', 'RECORDING_PAUSED'],
  ['finish', 'RECORDING_FINISHED'],
])('take no further events after %s, and answer repetitions', async (verb, code) => {
  const { id } = await createRecording(owner, workspace.id);
  await record(owner, id, 1, [click(1)]);
  const { body: before } = await act(id, verb);
  for (const sequence of [2, 3]) {
    const { status, body } = await sendEvents(owner, id, sequence, [click(1)]);
    expect([status, body.code]).toEqual([409, code]);
  }
  const repeated = await sendEvents(owner, id, 1, [click(1)]);
  expect([repeated.status, repeated.body]).toEqual([200, { nextSequence: 2 }]);
  const other = await sendEvents(owner, id, 1, [click(2)]);
  expect([other.status, other.body.code]).toEqual([409, 'SEQUENCE_TAKEN']);
  expect((await get(id)).body).toEqual(before);
});

it('go on after a pause where they were', async () => {
  const { id } = await createRecording(owner, workspace.id);
  await record(owner, id, 1, [click(1)]);
  await act(id, 'pause');
  const { body } = await act(id, 'resume');
  expect([body.nextSequence, body.eventCount]).toEqual([2, 1]);
  await record(owner, id, 2, [click(2), click(3)]);
  expect((await get(id)).body).toMatchObject({ nextSequence: 3, eventCount: 3 });
});

it('have an ETag that each batch changes, and that a deletion may name', async () => {
  const { id } = await createRecording(owner, workspace.id);
  const { etag = '' } = (await get(id)).headers;
  expect((await get(id, { 'if-none-match': etag })).status).toBe(304);
  await record(owner, id, 1, [click(1)]);
  const remove = (headers: Record<string, string>) =>
    owner.call('DELETE', `/recordings/${id}`, { headers });
  expect((await remove({ 'if-match': etag })).status).toBe(412);
  const now = (await get(id)).headers.etag ?? '';
  expect((await remove({ 'if-match': now })).status).toBe(204);
  for (const path of ['', '/steps']) {
    expect((await owner.call('GET', `/recordings/${id}${path}`)).status).toBe(404);
  }
  expect((await sendEvents(owner, id, 2, [click(1)])).status).toBe(404);
  expect((await remove({})).status).toBe(404);
});

it('are listed by id, in pages', async () => {
  const other = await createWorkspace(owner);
  const ids: number[] = [];
  for (let n = 0; n < 3; n++) ids.push((await createRecording(owner, other)).id);
  ids.sort((one, two) => one - two); // two processes give ids of two blocks
  const path = `/workspaces/${other}/recordings`;
  const first = await owner.call<Body[]>('GET', path, { query: { limit: 2 } });
  const rest = await owner.call<Body[]>('GET', nextPage(first.headers) ?? '');
  expect([...first.body, ...rest.body].map(({ id }) => id)).toEqual(ids);
  expect(first.body[0]).toEqual((await get(ids[0] ?? 0)).body);
});

it('are 404 for others', async () => {
  const { id } = await createRecording(owner, workspace.id);
  for (const path of [`/recordings/${id}`, `/recordings/${id}/steps`]) {
    expect((await stranger.call('GET', path)).status).toBe(404);
  }
  expect((await sendEvents(stranger, id, 1, [click(1)])).status).toBe(404);
  expect((await stranger.call('DELETE', `/recordings/${id}`)).status).toBe(404);
});
