import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

/**
 * The least that could answer the same question: node:http and the driver, no framework, no rights.
 * `node bench/bare.ts <mongodb uri> <database>`; prints its port.
 */
const [uri = '', database = ''] = process.argv.slice(2);
const client = await new MongoClient(uri).connect();
const issues = client.db(database).collection<{ _id: number; workspaceId: number }>('issues');

const server = createServer(async (req, res) => {
  const [, , workspaceId, , id] = (req.url ?? '').split('/');
  const issue = await issues.findOne({ _id: Number(id), workspaceId: Number(workspaceId) });
  if (!issue) return res.writeHead(404).end();
  const { _id, workspaceId: _, ...rest } = issue;
  return res
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: _id, ...rest }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
