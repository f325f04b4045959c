import { connect } from 'node:net';
import { createWorkspace, registerVerified } from '../helpers/people.ts';
import { sharedServer } from '../helpers/server.ts';

/**
 * Bytes that a client sends a second: less, and more than 16 KiB on the average. On a busy machine the seconds of the
 * fast client may last four times as long.
 */
const PACES = { slow: 8 * 1024, fast: 64 * 1024 };
/** Seconds for which it sends. */
const SECONDS = 14;

it.each([
  ['slow', 408],
  ['fast', 201],
] as const)('an upload that is %s is answered %d', async (pace, status) => {
  const { url } = await sharedServer();
  const owner = await registerVerified(url);
  const workspaceId = await createWorkspace(owner);
  const { body } = await owner.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId },
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
  socket.write(
    [
      `POST /agent/conversations/${body.id}/attachments HTTP/1.1`,
      'Host: a',
      'Connection: close',
      `Authorization: Bearer ${owner.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Transfer-Encoding: chunked',
      '\r\n',
    ].join('\r\n'),
  );
  const send = (text: string) => {
    if (socket.writable) socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
  };
  send('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  for (let second = 0; second < SECONDS; second++) {
    send('x'.repeat(PACES[pace]));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  send('\r\n--b--\r\n');
  if (socket.writable) socket.write('0\r\n\r\n');
  await closed;
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  if (status === 408) expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
});
