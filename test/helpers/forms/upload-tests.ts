import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { type ProblemBody, request } from '../http.ts';
import { fileForm, formOf, type Part } from '../multipart.ts';
import { waitFor } from '../wait.ts';
import { UPLOADS_PER_CALLER } from './gateway.ts';
import { MAX_BYTES } from './service.ts';
import type { FormsSystem } from './system.ts';

const token = '7';
const file = (content: Buffer | string): Part => ({ name: 'file', fileName: 'a.bin', content });
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const bytesOf = (length: number) => Buffer.alloc(length, '0123456789abcdefghi');

/** Bodies that are refused, with the status, the code, and the field that the answer names. */
const REFUSED: Record<string, [form: { raw: Buffer; headers: object }, ...found: unknown[]]> = {
  'no part': [formOf(), 400, 'INVALID_REQUEST', 'file'],
  'another field': [formOf({ ...file('x'), name: 'photo' }), 400, 'INVALID_REQUEST', 'photo'],
  'a field before the file': [
    formOf({ name: 'title', content: 'x' }, file('x')),
    400,
    'INVALID_REQUEST',
    'title',
  ],
  'a field after the file': [
    formOf(file('x'), { name: 'title', content: 'x' }),
    400,
    'INVALID_REQUEST',
    'title',
  ],
  'a text for the file': [formOf({ name: 'file', content: 'x' }), 400, 'INVALID_REQUEST', 'file'],
  'a file without a name': [
    formOf({ name: 'file', type: 'application/octet-stream', content: 'x' }),
    400,
    'INVALID_REQUEST',
    'file',
  ],
  'a file whose part has no name': [
    formOf({ fileName: 'a.bin', content: 'x' }),
    400,
    'MALFORMED_BODY',
    undefined,
  ],
  'a text whose part has no name': [formOf({ content: 'x' }), 400, 'MALFORMED_BODY', undefined],
  'two files': [formOf(file('x'), file('y')), 400, 'INVALID_REQUEST', 'file'],
  '10,000 parts': [
    formOf(...Array.from({ length: 10_000 }, () => ({ name: 'n', content: 'x' }))),
    400,
    'INVALID_REQUEST',
    'n',
  ],
  'too large a file': [fileForm(bytesOf(MAX_BYTES + 1)), 413, 'BODY_TOO_LARGE', undefined],
  'a body without its end': [
    { ...fileForm('abc'), raw: fileForm('abc').raw.subarray(0, -4) },
    400,
    'MALFORMED_BODY',
    undefined,
  ],
  'no boundary': [
    { raw: Buffer.from('x'), headers: { 'content-type': 'multipart/form-data' } },
    400,
    'MALFORMED_BODY',
    undefined,
  ],
  JSON: [
    { raw: Buffer.from('{}'), headers: { 'content-type': 'application/json' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    undefined,
  ],
  'a compressed body': [
    { ...fileForm('x'), headers: { ...fileForm('x').headers, 'content-encoding': 'gzip' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    undefined,
  ],
};

/** The tests of an upload, whose system starts once. */
export function testUploads(system: () => FormsSystem): void {
  const upload = (kind: string, form: { raw: Buffer; headers: object }, as = token) =>
    request<ProblemBody & Record<string, unknown>>(system().url, 'POST', `/files/${kind}`, {
      token: as,
      raw: form.raw,
      headers: form.headers as Record<string, string>,
    });
  const storedCount = () =>
    system()
      .lines()
      .filter((line) => line.endsWith('stored')).length;

  /** Sends the head of an upload and some bytes of its file, and no more. */
  function begin(
    kind: string,
    headers: string[],
    sent = '',
  ): { socket: ReturnType<typeof connect>; text(): string } {
    const socket = connect(Number(new URL(system().url).port), '127.0.0.1');
    let text = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        text += chunk;
      });
    socket.write([`POST /files/${kind} HTTP/1.1`, 'Host: a', ...headers, '', sent].join('\r\n'));
    return { socket, text: () => text };
  }
  const headOf = (caller: string) => [
    `Authorization: Bearer ${caller}`,
    'Content-Type: multipart/form-data; boundary=b',
  ];
  const HEAD = headOf(token);
  const BEGUN =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\nsome bytes';

  it.each([1, 70_000, MAX_BYTES])('hands a file of %d bytes to the action', async (length) => {
    const content = bytesOf(length);
    const { status, body } = await upload('any', fileForm(content, 'dir/Größe.bin', 'image/png'));
    expect([status, body]).toEqual([
      201,
      { name: 'dir/Größe.bin', type: 'image/png', size: length, sha256: sha256(content) },
    ]);
  });

  it.each(Object.entries(REFUSED))('refuses %s', async (_what, [form, status, code, path]) => {
    const before = storedCount();
    const { status: got, body } = await upload('any', form);
    expect([got, body.code, body.errors?.[0]?.path]).toEqual([status, code, path]);
    expect((await upload('any', fileForm('next'))).status).toBe(201); // the service goes on
    expect(storedCount()).toBe(before + 1);
  });

  it('names the field of a request without a body', async () => {
    const { status, body } = await request<ProblemBody>(system().url, 'POST', '/files/any', {
      token,
    });
    expect([status, body.errors?.[0]]).toEqual([
      400,
      expect.objectContaining({ path: 'file', code: 'required' }),
    ]);
  });

  it.each([
    ['without a token', 'x', 401],
    ['who may not call it', '0', 403],
  ])('refuses a caller %s before the body has come', async (_what, as, status) => {
    const headers = [...HEAD.slice(1), `Authorization: Bearer ${as}`, 'Content-Length: 100000'];
    const { socket, text } = begin('forbidden', headers);
    await once(socket, 'close');
    expect(text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(system().lines()).not.toContain('upload forbidden');
  });

  it('refuses a body that announces too many bytes at once', async () => {
    const { socket, text } = begin('any', [...HEAD, `Content-Length: ${2 * MAX_BYTES}`]);
    await waitFor('the answer', () => text().startsWith('HTTP/1.1 413 '));
    await once(socket, 'close');
  });

  it('refuses a body in chunks as soon as it is too large', async () => {
    const outgoing = http.request(`${system().url}/files/any`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'multipart/form-data; boundary=b',
      },
    });
    outgoing.on('error', () => undefined);
    outgoing.write(BEGUN);
    const send = setInterval(() => outgoing.write(Buffer.alloc(500_000)), 1);
    const [response] = (await once(outgoing, 'response')) as [http.IncomingMessage];
    clearInterval(send);
    expect(response.statusCode).toBe(413);
    outgoing.destroy();
  });

  it('takes longer than other bodies may', async () => {
    const { socket, text } = begin('any', [...HEAD, `Content-Length: ${BEGUN.length + 9}`], BEGUN);
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // the deadline of other bodies is 1 s
    socket.write('\r\n--b--\r\n');
    await waitFor('the answer', () => text().startsWith('HTTP/1.1 201 '));
    socket.destroy();
  });

  it('fails the stream of the action when the connection is lost', async () => {
    const { socket } = begin('lost', [...HEAD, 'Content-Length: 100000'], BEGUN);
    await system().said('upload lost');
    socket.destroy();
    await system().said('upload lost failed');
  });

  it('answers a client whose file the action refuses, while the client still sends', async () => {
    const { status, body } = await upload('refused', fileForm(bytesOf(MAX_BYTES)));
    expect([status, body.code]).toEqual([409, 'NOT_WANTED']);
  });

  it('lets a client wait whose file the action does not read, and bounds the uploads of a caller', async () => {
    const total = MAX_BYTES;
    const caller = '9'; // the uploads of earlier tests may keep places of their caller a moment longer
    const held = Array.from({ length: UPLOADS_PER_CALLER }, () => {
      const one = begin('held', [...headOf(caller), `Content-Length: ${total}`], BEGUN);
      one.socket.write(Buffer.alloc(total - BEGUN.length));
      return one.socket;
    });
    await system().said('upload held');
    await waitFor(
      'all of them',
      () =>
        system()
          .lines()
          .filter((line) => line === 'upload held').length >= UPLOADS_PER_CALLER,
    );
    const unsent = () => held.map(({ writableLength }) => writableLength);
    let before = unsent();
    await waitFor('full buffers', async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const now = unsent();
      const isSame = String(now) === String(before);
      before = now;
      return isSame;
    });
    // What is under way lies in the buffers of the kernel and of the stream.
    expect(Math.min(...before)).toBeGreaterThan(0);
    const { status, body, headers } = await upload('any', fileForm('x'), caller);
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'TOO_MANY_UPLOADS', '1']);
    expect((await upload('any', fileForm('x'), '8')).status).toBe(201);
    for (const socket of held) socket.destroy();
    expect((await upload('release', fileForm('x'), '8')).status).toBe(201);
    await waitFor(
      'a place',
      async () => (await upload('any', fileForm('x'), caller)).status === 201,
    );
  });
}
