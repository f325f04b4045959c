import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import jwt from 'jsonwebtoken';
import { MongoClient } from 'mongodb';
import { connect, JSONCodec } from 'nats';

/**
 * The smallest program that reads an issue over NATS: node:http, a JWT check, one request by a queue group, the driver.
 * `node bench/bare-nats.ts gateway|service <nats> <mongodb> <database> <public key as PEM>`.
 */
const [part, nats = '', uri = '', database = '', publicKey = ''] = process.argv.slice(2);
const { host, username, password } = new URL(nats);
const connection = await connect({ servers: host, user: username, pass: password });
const codec = JSONCodec<{ workspaceId: number; id: number } | object | null>();

if (part === 'service') await serve();
else accept();

async function serve(): Promise<void> {
  const client = await new MongoClient(uri).connect();
  const issues = client.db(database).collection<{ _id: number; workspaceId: number }>('issues');
  connection.subscribe('bare.issue', {
    queue: 'bare',
    callback: async (_, message) => {
      const { workspaceId, id } = codec.decode(message.data) as { workspaceId: number; id: number };
      const issue = await issues.findOne({ _id: id, workspaceId });
      if (!issue) return void message.respond(codec.encode(null));
      const { _id, workspaceId: _workspace, ...rest } = issue;
      message.respond(codec.encode({ id: _id, ...rest }));
    },
  });
  process.stdout.write('ready\n');
}

function accept(): void {
  const checked = new Map<string, number>(); // by hash, for one second, as the service does
  const isGood = (token: string): boolean => {
    const hash = createHash('sha256').update(token).digest('base64');
    if ((checked.get(hash) ?? 0) > Date.now()) return true;
    jwt.verify(token, publicKey, { algorithms: ['ES256'] });
    checked.set(hash, Date.now() + 1_000);
    return true;
  };
  const server = createServer(async (req, res) => {
    isGood((req.headers.authorization ?? '').slice('Bearer '.length));
    const [, , workspaceId, , id] = (req.url ?? '').split('/');
    const order = codec.encode({ workspaceId: Number(workspaceId), id: Number(id) });
    const { data } = await connection.request('bare.issue', order, { timeout: 2_000 });
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(codec.decode(data)));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
  });
}
