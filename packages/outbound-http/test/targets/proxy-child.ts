import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createOutboundClient } from '../../index.ts';

/** Calls a server by the client and by `node:http` with the proxy variables of its environment, and prints who answered. */
const [url = '', allow = ''] = process.argv.slice(2);
const client = createOutboundClient({ allow: [allow] });
const { body } = await client.send({ method: 'GET', url, timeoutMs: 5_000 });
await client.close();
const response = await new Promise<IncomingMessage>((resolve, reject) => {
  get(url, resolve).on('error', reject);
});
process.stdout.write(JSON.stringify([Buffer.from(body).toString(), await text(response)]));
