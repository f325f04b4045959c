import { createHash } from 'node:crypto';
import { e2e, type Refusable, type Result } from '../fixtures/e2e.ts';
import { type ProblemBody, request } from '../helpers/http.ts';
import { fileForm, formOf } from '../helpers/multipart.ts';
import type { Person } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';

type Attachment = Result<'assistant.uploadAttachment'>;

const { server, owner, stranger, workspace } = e2e();

let conversationId: number;

async function conversationOf(person: Person): Promise<number> {
  const made = await person.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId: workspace.id, title: 'x' },
  });
  expect(made.status).toBe(201);
  return made.body.id;
}

beforeEach(async () => {
  conversationId = await conversationOf(owner);
});

const attach = (
  content: Buffer | string,
  name: string,
  { person = owner, to = conversationId }: { person?: Person; to?: number } = {},
) =>
  person.call<Refusable<Attachment>>(
    'POST',
    `/agent/conversations/${to}/attachments`,
    fileForm(content, name),
  );
const read = (id: number, headers: Record<string, string> = {}, method = 'GET') =>
  owner.call<ProblemBody>(method, `/attachments/${id}`, { headers });

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ZIP = Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'), Buffer.alloc(40, 1)]);
const HTML = '<!doctype html><script>alert(1)</script>';

it('is stored, and answered as it was sent', async () => {
  const content = Buffer.from('Zähne,Größe\n1,2\n'.repeat(60_000)); // several parts of GridFS
  const { status, body, headers } = await attach(content, 'Zähne.csv');
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      conversationId,
      name: 'Zähne.csv',
      type: 'text/csv',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect(headers.location).toBe(`/attachments/${body.id}`);
  const whole = await read(body.id);
  expect([whole.status, whole.text === content.toString()]).toEqual([200, true]);
  expect(whole.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-length': String(content.length),
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
  });
  expect(whole.headers['content-disposition']).toContain("filename*=UTF-8''Z%C3%A4hne.csv");
});

it('is answered in parts, over the borders of the parts of GridFS as well', async () => {
  const content = Buffer.from(Array.from({ length: 600_000 }, (_, at) => 97 + ((at * 7) % 26)));
  const { body } = await attach(content, 'a.txt');
  const borders = [0, 261_119, 261_120, 522_239, 522_240, 599_999];
  for (const start of borders) {
    for (const end of borders.filter((other) => other >= start)) {
      const { status, text, headers } = await read(body.id, { range: `bytes=${start}-${end}` });
      expect([status, text === content.subarray(start, end + 1).toString()]).toEqual([206, true]);
      expect(headers['content-range']).toBe(`bytes ${start}-${end}/600000`);
    }
  }
  expect((await read(body.id, { range: 'bytes=600000-' })).status).toBe(416);
});

it.each([
  ['a.png', 'image/png', PNG],
  ['a.JPG', 'image/jpeg', Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')],
  ['a.gif', 'image/gif', 'GIF89a\x01\0\x01\0'],
  ['a.webp', 'image/webp', 'RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0'],
  ['a.pdf', 'application/pdf', '%PDF-1.7\n%abc\n'],
  ['a.zip', 'application/zip', ZIP],
  ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', ZIP],
  ['a.txt', 'text/plain', `\ufeff${HTML}`],
  ['a.txt', 'text/plain', '<?xml version="1.0"?><a/>'],
  ['a.csv', 'text/csv', 'BMW,1\n'],
  ['a.log', 'text/plain', 'MZ 1'],
  ['a.md', 'text/markdown', '# Zähne'],
  ['a.json', 'application/json', '{"a":1}'],
  ['a.yml', 'application/yaml', 'a: 1'],
])('takes %s as %s', async (name, type, content) => {
  const { status, body } = await attach(content, name);
  expect([status, body.type]).toEqual([201, type]);
});

it.each([
  ['a.png', 'text', HTML],
  ['a.png', 'application/pdf', '%PDF-1.7\n'],
  ['a.pdf', 'image/png', PNG],
  ['a.docx', 'image/png', PNG],
  ['a.txt', 'image/png', PNG],
  ['a.txt', 'of no known type', 'a\0b'],
  ['a.txt', 'image/bmp', 'BM\x3a\0\0\0'],
  ['a.txt', 'application/x-msdownload', 'MZ\x90\0'],
  ['a.csv', 'of no known type', Buffer.from([0xc3, 0x28])],
])('refuses %s whose bytes are %s', async (name, found, content) => {
  const { status, body } = await attach(content, name);
  expect([status, body.code]).toEqual([415, 'ATTACHMENT_TYPE_MISMATCH']);
  expect(body.detail).toContain(`its bytes are ${found}; possible are .png, .jpg`);
});

it.each([
  ['a.html', '.html', HTML],
  ['a.svg', '.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['a', 'without an ending', 'x'],
  ['.png', 'without an ending', PNG],
  ['a.png.exe', '.exe', PNG],
  ['a.constructor', '.constructor', 'x'],
])('takes no file %s, and says %s', async (name, found, content) => {
  const { status, body } = await attach(content, name);
  expect([status, body.code]).toEqual([415, 'ATTACHMENT_TYPE_NOT_ALLOWED']);
  expect(body.detail).toContain(found);
  expect(body.detail).toContain('possible are .png, .jpg');
});

it.each([
  ['../../etc/passwd.txt', 'passwd.txt'],
  ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
  ['/a.txt', 'a.txt'],
  ['  a .txt. ', 'a .txt'],
  ['Gro\u0308\u00dfe.txt', 'Größe.txt'],
  ['\u202egpj.txt', 'gpj.txt'],
  ['a\u0007b.txt', undefined],
  ['CON.txt', '_CON.txt'],
  [`${'ä'.repeat(300)}.txt`, `${'ä'.repeat(125)}.txt`],
])('names %j by the file alone: %j', async (given, name) => {
  const { status, body } = await attach('x', given);
  if (name === undefined)
    expect(status).toBe(400); // no header may have such a character
  else expect([status, body.name]).toEqual([201, name]);
});

it.each(['..', 'a/..', 'a/', '   ', '...'])('refuses the name %j', async (given) => {
  const { status, body } = await attach('x', given);
  expect([status, body.errors]).toEqual([
    400,
    [expect.objectContaining({ in: 'body', path: 'file', code: 'invalid_name' })],
  ]);
});

it('refuses a file of 0 bytes, a larger one than 25 MiB, and 10,000 parts', async () => {
  const empty = await attach('', 'a.txt');
  expect([empty.status, empty.body.errors?.[0]?.code]).toEqual([400, 'too_small']);
  const large = await attach(Buffer.alloc(25 * 1024 * 1024 + 1, 'x'), 'a.txt');
  expect([large.status, large.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  const many = formOf(
    ...Array.from({ length: 10_000 }, () => ({ name: 'file', fileName: 'a.txt', content: 'x' })),
  );
  const path = `/agent/conversations/${conversationId}/attachments`;
  expect((await owner.call('POST', path, many)).status).toBe(400);
});

it('exists for the creator of the conversation alone', async () => {
  const other = await workspace.member('ADMIN');
  const { body } = await attach('x', 'a.txt');
  for (const person of [other, stranger]) {
    expect((await attach('x', 'a.txt', { person })).status).toBe(404);
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      expect((await person.call(method, `/attachments/${body.id}`)).status).toBe(404);
    }
  }
  const guest = await workspace.member('GUEST');
  expect((await guest.call('GET', `/attachments/${body.id}`)).status).toBe(403);
  expect((await request(server.url, 'GET', `/attachments/${body.id}`)).status).toBe(401);
  expect((await read(body.id)).status).toBe(200);
});

it('is deleted by its creator, if it is the one that If-Match names', async () => {
  const { body } = await attach('x', 'a.txt');
  const { etag = '' } = (await read(body.id)).headers;
  expect((await read(body.id, { 'if-none-match': etag })).status).toBe(304);
  expect((await read(body.id, { 'if-match': '"other"' }, 'DELETE')).status).toBe(412);
  expect((await read(body.id, { 'if-match': etag }, 'DELETE')).status).toBe(204);
  expect((await read(body.id)).status).toBe(404);
  expect((await read(body.id, {}, 'DELETE')).status).toBe(404);
});

it('goes with its conversation', async () => {
  const { body } = await attach('x', 'a.txt');
  const { status } = await owner.call('DELETE', `/agent/conversations/${conversationId}`);
  expect(status).toBe(204);
  expect((await read(body.id)).status).toBe(404);
  expect((await attach('x', 'a.txt')).status).toBe(404);
});

it('is recorded in the audit log', async () => {
  const { body } = await attach('x', 'a.txt');
  await read(body.id, {}, 'DELETE');
  interface Entry {
    action: string;
    resource: { type: string; id: number };
  }
  await waitFor('both entries', async () => {
    const log = await owner.call<Entry[]>('GET', `${workspace.path}/audit-log`);
    const own = log.body.filter(
      ({ resource }) => resource.type === 'attachment' && resource.id === body.id,
    );
    return own.length === 2;
  });
});
