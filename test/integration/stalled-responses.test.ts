import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { StalledResponses } from '../../mixins/gateway/connections/stalled-responses.ts';

/** More than the buffers of two kernels take. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);

const server = createServer();
let port: number;
beforeAll(async () => {
  new StalledResponses(300).watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answerTo(
  path: string,
): Promise<{ socket: ReturnType<typeof connect>; res: ServerResponse }> {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { socket, res };
}

it('cuts the connection of a client that does not read its answer', async () => {
  const { res } = await answerTo('/whole');
  res.end(LARGE);
  await once(res, 'close');
  expect(res.writableFinished).toBe(false);
});

it('cuts it in the middle of a stream as well', async () => {
  const { res } = await answerTo('/stream');
  const chunks = Array.from({ length: 512 }, () => LARGE.subarray(0, 65_536));
  await expect(pipeline(chunks, res)).rejects.toThrow();
  expect(res.writableEnded).toBe(false);
});

it('leaves alone whoever waits for an answer, or reads it late but in time', async () => {
  const { res, socket } = await answerTo('/late');
  const other = await answerTo('/other');
  other.res.end(LARGE);
  await once(other.res, 'close'); // longer than an answer may be on its way
  res.end(LARGE.subarray(0, 1_048_576));
  socket.resume();
  await once(res, 'close');
  expect(res.writableFinished).toBe(true);
});
