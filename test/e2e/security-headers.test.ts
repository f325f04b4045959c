import { request } from '../helpers/http.ts';
import { sendRaw } from '../helpers/raw-http.ts';
import { startServer, stopServers, type TestServer } from '../helpers/server.ts';

afterAll(stopServers);

/** Requests of every kind of answer: of an operation, of the router, of what never became a request. */
const REQUESTS = {
  'an operation': 'GET /health/live HTTP/1.1\r\nHost: a',
  'an operation without a body': 'OPTIONS /health/live HTTP/1.1\r\nHost: a',
  'a page': 'GET /docs HTTP/1.1\r\nHost: a',
  'no path of ours': 'GET /nope HTTP/1.1\r\nHost: a',
  'no token': 'GET /auth/me HTTP/1.1\r\nHost: a',
  'a wrong method': 'PUT /health/live HTTP/1.1\r\nHost: a',
  'a wrong body': 'POST /auth/sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 0',
  'no HTTP': 'FOO BAR BAZ',
  'a tunnel': 'CONNECT a:443 HTTP/1.1\r\nHost: a',
  'an odd expectation': 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: more',
};
const answersOf = ({ url }: TestServer) =>
  Promise.all(
    Object.entries(REQUESTS).map(async ([what, text]) => {
      const answer = await sendRaw(url, `${text}\r\nConnection: close\r\n\r\n`);
      return [what, answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase()] as const;
    }),
  );

it('forbids each answer to be taken for another type, and http where clients come by https', async () => {
  const server = await startServer({ env: { PUBLIC_URL: 'https://service.test' } });
  for (const [what, head] of await answersOf(server)) {
    expect([what, head]).toEqual([
      what,
      expect.stringContaining('x-content-type-options: nosniff'),
    ]);
    expect([what, head]).toEqual([
      what,
      expect.stringContaining('strict-transport-security: max-age=31536000'),
    ]);
  }
});

it('says nothing of https where clients come by http', async () => {
  const server = await startServer();
  const { headers } = await request(server.url, 'GET', '/nope');
  expect(headers).not.toHaveProperty('strict-transport-security');
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
});
