import { connect } from 'node:net';
import { register } from '../../helpers/people.ts';
import { sharedServer } from '../../helpers/server.ts';

it('a caller with many unfinished bodies is refused further ones, and others are served', async () => {
  const { url } = await sharedServer();
  const [flooder, other] = await Promise.all([register(url, 'Eve'), register(url)]);
  const head = `POST /flows/validate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${flooder.token}\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n`;
  const sockets = Array.from({ length: 40 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  const refusals = sockets.map(
    (socket) =>
      new Promise<string>((resolve) => {
        socket.on('data', (chunk) => resolve(String(chunk))).on('error', () => undefined);
        socket.write(`${head}{"content":"`);
      }),
  );
  const refusal = await Promise.race(refusals);
  expect(refusal).toMatch(/^HTTP\/1.1 503 /);
  expect(refusal).toMatch(/\r\nRetry-After: 1\r\n/);
  expect(refusal).toMatch(/\r\nConnection: close\r\n/);
  const content = `# ${'x'.repeat(100_000)}\ndo: []\n`;
  const { status } = await other.call('POST', '/flows/validate', { body: { content } });
  expect(status).toBe(200);
  for (const socket of sockets) socket.destroy();
});
