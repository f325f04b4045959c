import { createServer, connect as openSocket, type Socket } from 'node:net';
import { connect } from 'nats';
import { commandOf, isHousekeeping, MessageReader } from '../test/helpers/wire-messages.ts';

/** Starts a proxy to a database that counts commands, apart from the driver's own housekeeping. */
export async function countingDatabase(
  uri: string,
): Promise<{ uri: string; commands(): number; stop(): void }> {
  let commands = 0;
  const { port, hostname } = new URL(uri);
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = openSocket({ port: Number(port), host: hostname });
    const reader = new MessageReader();
    client.on('data', (chunk: Buffer) => {
      for (const message of reader.push(chunk)) if (!isHousekeeping(commandOf(message))) commands++;
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

/** Counts the calls and answers that a nats-server passes on. */
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
