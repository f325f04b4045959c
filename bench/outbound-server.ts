import { createServer } from 'node:http';

/** A server that answers every request with 1 KiB of JSON: `node bench/outbound-server.ts` prints its port. */
const body = JSON.stringify({ text: 'x'.repeat(1013) });
const server = createServer((req, res) => {
  req.resume();
  res.writeHead(200, { 'content-type': 'application/json' }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
