import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { request } from '../http.ts';
import { LONG_TEXT } from './service.ts';
import type { FormsSystem } from './system.ts';

const token = '7';
const EVENTS = { accept: 'text/event-stream' };

/** The tests of an answer that comes as events. */
export function testAnswers(system: () => FormsSystem): void {
  async function open(kind: string, headers: Record<string, string> = EVENTS) {
    const outgoing = http.request(`${system().url}/answers/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    outgoing.on('error', () => undefined).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { outgoing, response };
  }
  const eventsOf = (received: string) =>
    received
      .split('\n\n')
      .slice(0, -1)
      .map((block) => {
        const [event = '', data = ''] = block.split('\n');
        return {
          event: event.slice(7),
          data: JSON.parse(data.slice(6)) as Record<string, unknown>,
        };
      });

  it('is one JSON answer to other clients', async () => {
    const { status, body } = await request(system().url, 'POST', '/answers/any', { token });
    expect([status, body]).toEqual([201, { text: LONG_TEXT }]);
  });

  it('comes as events to a client that prefers them', async () => {
    const { response } = await open('any');
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(eventsOf(await text(response))).toEqual([
      { event: 'text', data: { delta: 'Hel' } },
      { event: 'message', data: { text: LONG_TEXT } },
    ]);
    await system().said('answer any ended');
  });

  it('is an ordinary problem before the stream begins', async () => {
    const { response } = await open('missing');
    expect(response.statusCode).toBe(404);
    expect(response.headers['content-type']).toBe('application/problem+json');
    response.resume();
  });

  it.each(['broken', 'half'])('ends with an error event where the source is %s', async (kind) => {
    const { response } = await open(kind);
    const events = eventsOf(await text(response));
    // An error may overtake what the source gave just before.
    expect(['error', 'text,error']).toContain(String(events.map(({ event }) => event)));
    expect(events.at(-1)?.data).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
    expect(JSON.stringify(events)).not.toContain('defect');
  });

  it('ends the source when the client disconnects', async () => {
    const { outgoing, response } = await open('held');
    await once(response, 'data');
    outgoing.destroy();
    await system().said('answer held failed');
  });
}
