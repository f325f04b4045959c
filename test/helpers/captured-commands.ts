import mongoose from 'mongoose';
import { z } from 'zod';
import { databaseCommand } from '../../mixins/database/commands.ts';

const { BSON } = mongoose.mongo;

databaseCommand.subscribe(() => undefined); // The driver of a later connection tells of its commands.

type Fields = Record<string, unknown>;

/** A command that was sent to the database, and the number of documents in its first answer. */
export interface CapturedCommand {
  name: string;
  command: Fields;
  answered: number;
}

/** The numbers of keys and documents that a command examines and returns, by `explain` of the same command. */
export interface Examined {
  keys: number;
  documents: number;
  returned: number;
}

/** Commands without a query of their own, or that continue an earlier query. */
const WITHOUT_QUERY: ReadonlySet<string> = new Set([
  'hello',
  'ping',
  'insert',
  'getMore',
  'endSessions',
]);

/** Collects the commands of the driver that queries go with. */
export function captureCommands(): { readonly all: CapturedCommand[]; stop(): void } {
  const all: CapturedCommand[] = [];
  const open = new Map<number, Fields>();
  const client = mongoose.connection.getClient();
  const started = ({ requestId, command }: { requestId: number; command: Fields }) =>
    void open.set(requestId, plain(command));
  const succeeded = (event: { requestId: number; commandName: string; reply: unknown }) => {
    const { requestId, commandName: name, reply } = event;
    const command = open.get(requestId);
    open.delete(requestId);
    if (!command || WITHOUT_QUERY.has(name)) return;
    const answered = Reply.parse(reply).cursor?.firstBatch.length ?? 0;
    all.push(...statementsOf(name, command).map((one) => ({ name, command: one, answered })));
  };
  client.on('commandStarted', started).on('commandSucceeded', succeeded);
  return {
    all,
    stop: () => void client.off('commandStarted', started).off('commandSucceeded', succeeded),
  };
}

/** The names of all commands that some work sends; those of the driver itself left aside. */
export async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const stop = databaseCommand.subscribe(({ command }) => void names.push(command));
  await work();
  stop();
  return names.filter((name) => name !== 'ping' && name !== 'hello');
}

/** Returns the command as it was sent, without mongoose's own arrays. */
const plain = (command: Fields): Fields => BSON.deserialize(BSON.serialize(command));

const Reply = z.looseObject({
  cursor: z.looseObject({ firstBatch: z.array(z.unknown()) }).optional(),
});

/** Splits a write into its statements, because `explain` takes one statement at a time. */
function statementsOf(name: string, command: Fields): Fields[] {
  const body = Object.fromEntries(
    Object.entries(command).filter(([field]) => !OF_THE_SESSION.test(field)),
  );
  const field = name === 'update' ? 'updates' : 'deletes';
  const statements = body[field];
  if (!Array.isArray(statements)) return [body];
  return statements.map((statement) => ({ ...body, [field]: [statement] }));
}

const OF_THE_SESSION = /^(\$.*|lsid|txnNumber|writeConcern|readConcern)$/;

const Explained = z.looseObject({
  executionStats: z.looseObject({
    nReturned: z.number(),
    totalKeysExamined: z.number(),
    totalDocsExamined: z.number(),
  }),
});

export async function examinedBy({ name, command, answered }: CapturedCommand): Promise<Examined> {
  const { db } = mongoose.connection;
  if (!db) throw new Error('there is no connection');
  const explain = name === 'aggregate' ? queryOf(command) : command;
  const reply = await db.command({ explain, verbosity: 'executionStats' });
  const { nReturned, totalKeysExamined, totalDocsExamined } = Explained.parse(reply).executionStats;
  return {
    keys: totalKeysExamined,
    documents: totalDocsExamined,
    returned: name === 'aggregate' ? answered : nReturned,
  };
}

/** The query that a pipeline begins with; a `countDocuments` is a count. */
function queryOf({ aggregate, pipeline }: Fields): Fields {
  const stages = pipeline as Fields[];
  const at = (stage: string) => stages.find((one) => stage in one)?.[stage];
  const [match, skip, limit] = [at('$match') ?? {}, at('$skip') ?? 0, at('$limit')];
  const bounds = { skip, ...(limit === undefined ? {} : { limit }) };
  const isCount = JSON.stringify(at('$group')) === '{"_id":1,"n":{"$sum":1}}';
  if (isCount) return { count: aggregate, query: match, ...bounds };
  return { find: aggregate, filter: match, ...bounds };
}

/** The command without its values: commands of one shape are found in the same way. */
export function shapeOf({ name, command }: CapturedCommand): string {
  const { filter, query, sort, pipeline, updates, deletes } = command;
  const collection = command[name];
  const statements = [updates, deletes].flatMap((all) => (all as { q: unknown }[]) ?? []);
  const queries = [filter, query, pipeline, statements.map(({ q }) => q)];
  return JSON.stringify([name, collection, sort, queries.map(withoutValues)]);
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value))
    return [...new Set(value.map((one) => JSON.stringify(withoutValues(one))))];
  if (value instanceof Date || typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutValues(one)]));
}
