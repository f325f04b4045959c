import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { GridFSBucket } from 'mongodb';
import { e2e } from '../../fixtures/e2e.ts';
import type { ProblemBody } from '../../helpers/http.ts';
import { fileForm } from '../../helpers/multipart.ts';
import { waitFor } from '../../helpers/wait.ts';

const MIB = 1024 * 1024;
const QUOTA = 8 * MIB;

const { server, database, owner, freshWorkspace } = e2e({
  database: true,
  env: { ATTACHMENTS_PER_CONVERSATION: '5', ATTACHMENT_BYTES_PER_WORKSPACE: `${QUOTA}` },
});
let conversationId: number;

beforeEach(async () => {
  conversationId = await newConversation();
});

const newConversation = async (): Promise<number> =>
  (await freshWorkspace.make('/agent/conversations')).id;
const attach = (content: Buffer | string, to = conversationId, name = 'a.txt') =>
  owner.call<{ id: number } & ProblemBody & { quota: string; limit: number }>(
    'POST',
    `/agent/conversations/${to}/attachments`,
    fileForm(content, name),
  );
const text = (bytes: number) => Buffer.alloc(bytes, 'x');

/** The number of documents of each collection with attachments or parts of them. */
async function stored(): Promise<Record<string, number>> {
  const names = [
    'attachments',
    'attachment_uploads',
    'attachment_data.files',
    'attachment_data.chunks',
  ];
  const live = { removedAt: { $exists: false } };
  const counts = names.map((name) => database.collection(name).countDocuments(live));
  const found = await Promise.all(counts);
  return Object.fromEntries(names.map((name, at) => [name, found[at] ?? 0]));
}
const NOTHING = {
  attachments: 0,
  attachment_uploads: 0,
  'attachment_data.files': 0,
  'attachment_data.chunks': 0,
};
const usedBytes = async (): Promise<unknown> =>
  (await database.collection('attachment_usage').findOne({ _id: freshWorkspace.id as never }))
    ?.bytes;
const untilNothing = () =>
  waitFor('nothing', async () => JSON.stringify(await stored()) === JSON.stringify(NOTHING));

/** The usage is counted again after the record of an upload is gone. */
const untilUnused = () => waitFor('the room', async () => (await usedBytes()) === 0);

/** Sends the beginning of an upload of 20 MiB, of which some MiB come. */
function begin(mib: number) {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
  socket.write(
    [
      `POST /agent/conversations/${conversationId}/attachments HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${owner.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${20 * MIB}`,
      `\r\n--b\r\n${part}\r\n\r\n`,
    ].join('\r\n'),
  );
  socket.write(text(mib * MIB));
  return socket;
}
const untilBegun = () =>
  waitFor('parts of the file', async () => (await stored())['attachment_data.chunks'] === 8);

afterEach(async () => {
  await owner.call('DELETE', `/agent/conversations/${conversationId}`);
  await untilNothing();
});

it('is stored in GridFS, and its bytes go with it', async () => {
  const first = await attach(text(300_000));
  expect((await attach(text(10))).status).toBe(201);
  expect(await stored()).toEqual({
    ...NOTHING,
    attachments: 2,
    'attachment_data.files': 2,
    'attachment_data.chunks': 3,
  });
  expect(await usedBytes()).toBe(300_010 + 2 * 1024);
  const bucket = new GridFSBucket(database.client.db(), { bucketName: 'attachment_data' });
  const bytes = await buffer(bucket.openDownloadStream(first.body.id as never));
  expect(bytes.equals(text(300_000))).toBe(true);
  expect((await owner.call('DELETE', `/attachments/${first.body.id}`)).status).toBe(204);
  await waitFor('one file', async () => (await stored())['attachment_data.chunks'] === 1);
  await waitFor('its room', async () => (await usedBytes()) === 10 + 1024);
});

it('leaves nothing of a file that is refused', async () => {
  expect((await attach(text(3 * MIB), conversationId, 'a.png')).status).toBe(415);
  expect((await attach('')).status).toBe(400);
  expect((await attach(text(20 * MIB))).status).toBe(409); // the quota is met before the end
  expect(await stored()).toEqual(NOTHING);
  expect(await usedBytes()).toBe(0);
});

it('leaves nothing of a file that is cut off', async () => {
  const socket = begin(2);
  await untilBegun();
  expect(await stored()).toMatchObject({ attachments: 0, attachment_uploads: 1 });
  socket.destroy();
  await untilNothing();
  await untilUnused();
});

it('leaves nothing of an upload whose process was killed, once it is swept', async () => {
  begin(2);
  await untilBegun();
  await server.kill();
  expect(await stored()).toMatchObject({
    attachments: 0,
    attachment_uploads: 1,
    'attachment_data.chunks': 8,
  });
  await server.restart();
  // A quarter of an hour passes.
  await database
    .collection('attachment_uploads')
    .updateMany({}, { $set: { aliveAt: new Date(Date.now() - 16 * 60_000) } });
  await untilNothing();
  await untilUnused();
});

it('counts uploads at once: no more of a conversation succeed than there are places', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => attach('x')));
  const [refused] = answers.filter(({ status }) => status === 409);
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array(5).fill(201),
    ...Array(5).fill(409),
  ]);
  expect(refused?.body).toMatchObject({
    code: 'QUOTA_REACHED',
    quota: 'ATTACHMENTS_PER_CONVERSATION',
    limit: 5,
  });
  expect(await stored()).toMatchObject({
    attachments: 5,
    'attachment_data.files': 5,
    attachment_uploads: 0,
  });
});

it('counts the bytes of a workspace, over its conversations and uploads at once', async () => {
  const others = await Promise.all([newConversation(), newConversation()]);
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, n) => attach(text(2 * MIB - 2_000), others[n % 2])),
  );
  const kept = answers.filter(({ status }) => status === 201);
  const [refused] = answers.filter(({ status }) => status === 409);
  expect(kept.length).toBeLessThanOrEqual(4);
  expect(refused?.body).toMatchObject({ quota: 'ATTACHMENT_BYTES_PER_WORKSPACE', limit: QUOTA });
  for (let n = kept.length; n < 4; n++) {
    expect((await attach(text(2 * MIB - 2_000), others[0])).status).toBe(201);
  }
  expect((await attach(text(2 * MIB), others[0])).status).toBe(409);
  await Promise.all(others.map((id) => owner.call('DELETE', `/agent/conversations/${id}`)));
  await waitFor('room', async () => (await attach(text(2 * MIB))).status === 201);
});

it('counts a usage again that a crash has left too high', async () => {
  expect((await attach('x')).status).toBe(201);
  await database
    .collection('attachment_usage')
    .updateOne({ _id: freshWorkspace.id as never }, { $set: { bytes: QUOTA } });
  expect((await attach('x')).status).toBe(201);
  expect(await usedBytes()).toBe(2 * (1 + 1024));
});
