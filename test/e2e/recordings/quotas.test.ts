import { e2e } from '../../fixtures/e2e.ts';
import {
  type BatchAnswer,
  click,
  createRecording,
  SCREEN,
  sendEvents,
} from '../../helpers/recordings.ts';

const ENV = {
  RECORDINGS_PER_WORKSPACE: '3',
  EVENTS_PER_RECORDING: '5',
  BYTES_PER_RECORDING: '2KiB',
};

const { owner, freshWorkspace: workspace } = e2e({ env: ENV });

const create = (headers = {}) =>
  owner.call<BatchAnswer & { id: number }>('POST', '/recordings', {
    body: { workspaceId: workspace.id, name: 'x', screen: SCREEN },
    headers,
  });

it('of recordings at once exactly as many begin as the workspace may have', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => create()));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(3).fill(201), ...Array(9).fill(409)]);
  const refused = answers.find(({ status }) => status === 409)?.body;
  expect(refused).toMatchObject({ code: 'QUOTA_REACHED', quota: 'RECORDINGS_PER_WORKSPACE' });
  const made = answers.find(({ status }) => status === 201)?.body.id;
  await owner.call('DELETE', `/recordings/${made}`);
  expect((await create()).status).toBe(201);
});

it('refuse the batch with which a recording would have too many events', async () => {
  const { id } = await createRecording(owner, workspace.id);
  const send = (sequence: number, events: number) =>
    sendEvents(owner, id, sequence, Array(events).fill(click(1)));
  expect((await send(1, 3)).status).toBe(200);
  const { status, body } = await send(2, 3);
  expect([status, body]).toEqual([
    409,
    expect.objectContaining({ code: 'QUOTA_REACHED', quota: 'EVENTS_PER_RECORDING', limit: 5 }),
  ]);
  expect((await send(2, 2)).status).toBe(200);
});

it('refuse the batch with which the events of a recording would take too many bytes', async () => {
  const { id } = await createRecording(owner, workspace.id);
  const text = (length: number) => [{ type: 'TEXT', afterMs: 0, text: 'x'.repeat(length) }];
  expect((await sendEvents(owner, id, 1, text(500))).status).toBe(200);
  const { status, body } = await sendEvents(owner, id, 2, text(500));
  expect([status, body]).toEqual([
    409,
    expect.objectContaining({ code: 'QUOTA_REACHED', quota: 'BYTES_PER_RECORDING', limit: 2048 }),
  ]);
  expect((await sendEvents(owner, id, 2, text(400))).status).toBe(200);
});

it('count what a batch takes beside its events', async () => {
  const { id } = await createRecording(owner, workspace.id);
  const wait = [{ type: 'WAIT', afterMs: 0 }];
  const statuses: number[] = [];
  for (let sequence = 1; sequence <= 4; sequence++) {
    statuses.push((await sendEvents(owner, id, sequence, wait)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 409]);
});
