import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { MongoClient } from 'mongodb';
import { wordsOf } from '../services/issues/words.ts';

/**
 * The smallest program that reads and creates issues: node:http and the driver, without framework, rights and batching.
 * `node bench/bare.ts <mongodb uri> <database> [audited]` prints its port. With `audited` each issue has an audit entry.
 */
const [uri = '', database = '', mode] = process.argv.slice(2);
const client = await new MongoClient(uri).connect();

interface IssueRow {
  _id: number;
  workspaceId: number;
}
const issues = client.db(database).collection<IssueRow>('issues');
const auditEntries = client.db(database).collection<{ _id: string }>('audit_entries');
/** The next id, far above the ids of the service. The two kinds of this program share no ids. */
let nextId = mode === 'audited' ? 2_000_000_000 : 1_000_000_000;
/** An issue made by the service. Issues made here have the same fields. */
let template: Promise<IssueRow | null> | undefined;

const server = createServer(async (req, res) => {
  const [, , workspaceId, , id] = (req.url ?? '').split('/');
  if (req.method === 'POST') {
    const made = await createIssue(Number(workspaceId), await readJson(req));
    return res.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(made));
  }
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

interface NewIssue {
  title: string;
  description: string;
}

async function createIssue(workspaceId: number, { title, description }: NewIssue): Promise<object> {
  template ??= issues.findOne({});
  const now = new Date();
  const issue = {
    ...(await template),
    _id: nextId++,
    workspaceId,
    title,
    description,
    titleWords: wordsOf(title),
    descriptionWords: wordsOf(description),
    createdAt: now,
    updatedAt: now,
  };
  await Promise.all([issues.insertOne(issue), mode === 'audited' ? recordCreation(issue) : null]);
  const shown = { id: issue._id, title, description, status: 'OPEN', assignee: null };
  return { ...shown, createdAt: now.toISOString(), updatedAt: now.toISOString() };
}

/** Inserts the audit entry of an issue, with the fields that entries of the service have. */
const recordCreation = ({ _id, workspaceId, createdAt }: IssueRow & { createdAt: Date }) =>
  auditEntries.insertOne({
    _id: String(_id).padStart(36, '0'), // in the order of time, as the ids of the service are
    at: createdAt,
    workspaceId,
    actor: { type: 'person', id: 1, name: 'Ada Lovelace' },
    via: 'http',
    operation: 'issues.create',
    resource: { type: 'issue', id: _id },
    changed: [],
    requestId: randomUUID(),
  } as { _id: string });

async function readJson(req: IncomingMessage): Promise<NewIssue> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as NewIssue;
}
