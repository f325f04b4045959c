import { request } from '../helpers/http.ts';
import { startServer, stopServers, type TestServer } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

afterAll(stopServers);

/** The address that the log has for a request with that header. */
async function addressOf(server: TestServer, id: string, forwardedFor: string): Promise<unknown> {
  await request(server.url, 'GET', '/health/live', {
    headers: { 'x-request-id': id, 'x-forwarded-for': forwardedFor },
  });
  const line = await waitFor('the line', () =>
    server.logLines().find(({ requestId }) => requestId === id),
  );
  return line.address;
}

/** The warning in the log about a proxy that is not configured. */
const hintsOf = (server: TestServer) =>
  server.logLines().filter(({ msg }) => String(msg).startsWith('X-Forwarded-For is not believed'));

it('is the peer’s: what a client says of itself counts for nothing', async () => {
  const server = await startServer();
  expect(await addressOf(server, 'spoofed', '203.0.113.9')).toBe('127.0.0.1');
  await addressOf(server, 'spoofed-again', '203.0.113.10');
  expect(hintsOf(server)).toEqual([expect.objectContaining({ level: 'warn', peer: '127.0.0.1' })]);
});

it('is what a trusted proxy appended, whatever the client had written before', async () => {
  const server = await startServer({ env: { TRUSTED_PROXIES: '127.0.0.0/8,10.1.0.0/16' } });
  expect(await addressOf(server, 'plain', '203.0.113.9')).toBe('203.0.113.9');
  expect(await addressOf(server, 'chain', '1.1.1.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
  expect(hintsOf(server)).toEqual([]);
});
