import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ProblemBody } from '../http.ts';
import { waitFor } from '../wait.ts';
import type { FormsSystem } from './system.ts';

/** The tests of what was under way when the process of the service died. They come last: they end the service. */
export function testDeath(system: () => FormsSystem): void {
  let upload: IncomingMessage;
  let file: IncomingMessage;
  let answer: IncomingMessage;
  let received = '';

  function send(method: string, path: string, headers: Record<string, string> = {}) {
    const outgoing = http.request(`${system().url}${path}`, {
      method,
      headers: { authorization: 'Bearer 7', ...headers },
    });
    return outgoing.on('error', () => undefined);
  }
  async function responseTo(outgoing: http.ClientRequest): Promise<IncomingMessage> {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }

  beforeAll(async () => {
    const sending = send('POST', '/files/cut', {
      'content-type': 'multipart/form-data; boundary=b',
    });
    const part = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
    sending.write(`--b\r\n${part}\r\n\r\nsome bytes`);
    await system().said('upload cut');
    answer = await responseTo(send('POST', '/answers/held', { accept: 'text/event-stream' }).end());
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    await waitFor('the first event', () => received.includes('Hel'));
    file = await responseTo(send('GET', '/files/endless').end());
    file.on('error', () => undefined).resume();
    await once(file, 'data');
    await system().kill?.();
    upload = await responseTo(sending);
  });

  it('answers an upload with 504, and not as if its client were too slow', async () => {
    const body = JSON.parse(await text(upload)) as ProblemBody;
    expect(upload.statusCode).toBe(504);
    expect([body.code, body.detail]).toEqual([
      'DEADLINE_PASSED',
      'The operation took too long and was given up.',
    ]);
  });

  it('cuts a file off', async () => {
    await waitFor('the end', () => file.closed);
    expect(file.complete).toBe(false);
  });

  it('ends an answer in parts with an error event', async () => {
    await waitFor('the end', () => answer.complete);
    const [first, second, rest] = received.split('\n\n');
    expect([first?.slice(0, 11), rest]).toEqual(['event: text', '']);
    const [event, data] = second?.split('\ndata: ') ?? [];
    expect([event, JSON.parse(data ?? '')]).toEqual([
      'event: error',
      expect.objectContaining({ status: 503, code: 'UNAVAILABLE' }),
    ]);
  });
}
