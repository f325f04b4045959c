import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ProblemBody, request } from '../http.ts';
import { fileForm } from '../multipart.ts';
import { waitFor } from '../wait.ts';
import { DOWNLOADS_PER_CALLER } from './gateway.ts';
import { FILE } from './service.ts';
import type { FormsSystem } from './system.ts';

const token = '7';

/** The tests of an answer that is a file. */
export function testFiles(system: () => FormsSystem): void {
  const read = (kind: string, headers: Record<string, string> = {}, method = 'GET') =>
    request<ProblemBody>(system().url, method, `/files/${kind}`, { token, headers });
  /** The answer as bytes. */
  async function bytesOf(kind: string, headers: Record<string, string> = {}) {
    const outgoing = get(`${system().url}/files/${kind}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes: await buffer(response),
    };
  }

  it('is answered whole, as an attachment that no browser shows', async () => {
    const { status, headers, bytes } = await bytesOf('whole');
    expect([status, bytes.equals(FILE)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(FILE.length),
      'content-disposition': `attachment; filename="Gr??e \\"2\\" ?.png"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%222%22%20%E2%82%AC.png`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    });
  });

  it('answers HEAD and 304 without the bytes', async () => {
    const head = await read('endless', {}, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, String(2 ** 40)]);
    const known = await read('whole', { 'if-none-match': String(head.headers.etag) });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-20', 10, 20],
    ['bytes=99990-', 99_990, 99_999],
    ['bytes=-5', 99_995, 99_999],
    ['bytes=99999-200000', 99_999, 99_999],
  ])('answers the part %s', async (range, start, end) => {
    const { status, headers, bytes } = await bytesOf('whole', { range });
    expect([status, bytes.equals(FILE.subarray(start, end + 1))]).toEqual([206, true]);
    expect(headers['content-range']).toBe(`bytes ${start}-${end}/${FILE.length}`);
    expect(headers['content-length']).toBe(String(end - start + 1));
  });

  it.each(['bytes=100000-', 'bytes=-0'])('has no part %s', async (range) => {
    const { status, body, headers } = await read('whole', { range });
    expect([status, body.code]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
    expect(headers['content-range']).toBe(`bytes */${FILE.length}`);
  });

  it.each([
    'bytes=0-1,5-6',
    'bytes=5-1',
    'bytes=x',
    'lines=0-1',
    'bytes',
    `bytes=${'0'.repeat(200)}-1`,
  ])('answers the whole file to %s', async (range) => {
    const { status, bytes } = await bytesOf('whole', { range });
    expect([status, bytes.length]).toEqual([200, FILE.length]);
  });

  it('answers a part only of the file that If-Range names', async () => {
    const etag = String((await read('whole', {}, 'HEAD')).headers.etag);
    const range = 'bytes=0-9';
    expect((await bytesOf('whole', { range, 'if-range': etag })).status).toBe(206);
    for (const other of ['"other"', `W/${etag}`, 'Thu, 01 Jan 1970 00:00:00 GMT']) {
      expect((await bytesOf('whole', { range, 'if-range': other })).status).toBe(200);
    }
  });

  it('answers a problem while none of the bytes has come', async () => {
    expect((await read('missing')).status).toBe(404);
    const { status, body, headers } = await read('away');
    expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(headers).not.toHaveProperty('content-disposition');
  });

  it.each(['broken', 'short'])('cuts the connection of a file that is %s', async (kind) => {
    await expect(bytesOf(kind)).rejects.toThrow('aborted');
  });

  it('ends the source when the client disconnects', async () => {
    const socket = connect(Number(new URL(system().url).port), '127.0.0.1');
    socket.write(
      `GET /files/endless HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.destroy();
    await system().said('file endless failed');
  });

  /** Sends a request for a file on a connection of its own, with more lines of the head and some bytes of a body. */
  function begin(kind: string, lines: string[] = [], body = '') {
    const socket = connect(Number(new URL(system().url).port), '127.0.0.1');
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk;
      if (kind === 'endless') socket.pause();
    });
    const head = [
      `GET /files/${kind} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${token}`,
      ...lines,
    ];
    socket.write([...head, '', body].join('\r\n'));
    return { socket, text: () => text };
  }

  it.each(['Content-Length: 100', 'Transfer-Encoding: chunked'])(
    'ends the connection of a client that does not send the body of its request (%s)',
    async (line) => {
      const { socket, text } = begin('whole', [line]);
      await once(socket, 'close');
      expect(text()).toMatch(/^HTTP\/1.1 200 /);
      expect(text()).toContain('Connection: close');
    },
  );

  it('ends the source of a client that has gone before the first bytes', async () => {
    const { socket } = begin('late');
    await system().said('file late asked');
    socket.destroy();
    const form = fileForm('x');
    const options = { token, raw: form.raw, headers: form.headers };
    await request(system().url, 'POST', '/files/release', options);
    await system().said('file late failed');
  });

  it('bounds the files that a caller downloads at once', async () => {
    const held = Array.from({ length: DOWNLOADS_PER_CALLER }, () => begin('endless'));
    await waitFor('all of them', () => held.every(({ text }) => text().startsWith('HTTP/1.1 200')));
    const { status, body, headers } = await read('whole');
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'TOO_MANY_DOWNLOADS', '1']);
    const other = await request(system().url, 'GET', '/files/whole', { token: '8' });
    expect(other.status).toBe(200);
    for (const { socket } of held) socket.destroy();
    await waitFor('a place', async () => (await read('whole')).status === 200);
  });
}
