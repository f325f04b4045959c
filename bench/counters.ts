import { createServer, connect as openSocket, type Socket } from 'node:net';
import { connect } from 'nats';

const HOUSEKEEPING = ['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'];

/** A way to a database that counts the commands which pass it, the driver's own housekeeping apart. */
export async function countingDatabase(
  uri: string,
): Promise<{ uri: string; commands(): number; stop(): void }> {
  let commands = 0;
  const { port, hostname } = new URL(uri);
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = openSocket({ port: Number(port), host: hostname });
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        if (!HOUSEKEEPING.some((name) => message.includes(`${name}\0`))) commands++;
      }
    });
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const own = typeof address === 'object' && address ? address.port : 0;
  return {
    uri: uri.replace(`:${port}/`, `:${own}/`),
    commands: () => commands,
    stop() {
      for (const socket of open) socket.destroy();
      proxy.close();
    },
  };
}

/** Counts the calls and answers that pass a nats-server. */
export async function countCalls(
  url: string,
): Promise<{ calls(): Promise<number>; stop(): Promise<void> }> {
  const { host, username, password } = new URL(url);
  const client = await connect({ servers: host, user: username, pass: password });
  let calls = 0;
  for (const kind of ['REQB', 'REQ', 'RES']) {
    client.subscribe(`*.${kind}.>`, {
      callback: () => {
        calls++;
      },
    });
  }
  await client.flush();
  return {
    async calls() {
      await client.flush();
      return calls;
    },
    stop: () => client.close(),
  };
}
