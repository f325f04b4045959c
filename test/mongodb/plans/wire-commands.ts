import { BSON } from 'mongodb';
import type { Fields } from './shapes.ts';

const OP_MSG = 2013;
const OP_QUERY = 2004;
/** The place of the operation's code in a message. */
const CODE_AT = 12;
/** The place of the first section of an OP_MSG, and of the first field's name in that section's document. */
const SECTIONS_AT = 20;
const FIRST_NAME_AT = SECTIONS_AT + 6;
/** The place of the collection's name in an OP_QUERY. */
const COLLECTION_AT = 20;
/** The bit of an OP_MSG that ends with a checksum of four bytes. */
const HAS_CHECKSUM = 1;

/** The commands that have a plan. */
const PLANNED: ReadonlySet<string> = new Set([
  'aggregate',
  'count',
  'delete',
  'distinct',
  'find',
  'findAndModify',
  'update',
]);

/** The name of the command of a request, where the command has a plan. Nothing but the name is read. */
export function commandNameOf(request: Buffer): string | undefined {
  if (request.readInt32LE(CODE_AT) !== OP_MSG) return undefined;
  const name = request.toString('utf8', FIRST_NAME_AT, request.indexOf(0, FIRST_NAME_AT));
  return PLANNED.has(name) ? name : undefined;
}

/** The command of an OP_MSG, with the statements that stand in sections of their own. */
export function readCommand(request: Buffer): Fields {
  const command: Fields = {};
  const end = request.length - (request.readUInt32LE(16) & HAS_CHECKSUM ? 4 : 0);
  for (let at = SECTIONS_AT; at < end; ) {
    const kind = request[at];
    const size = request.readInt32LE(at + 1);
    const section = request.subarray(at + 1, at + 1 + size);
    if (kind === 0) Object.assign(command, BSON.deserialize(section));
    else Object.assign(command, readSequence(section));
    at += 1 + size;
  }
  return command;
}

/** The documents of a section that is a sequence, under its name. */
function readSequence(section: Buffer): Fields {
  const nameEnd = section.indexOf(0, 4);
  const documents: Fields[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const size = section.readInt32LE(at);
    documents.push(BSON.deserialize(section.subarray(at, at + size)));
    at += size;
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

/** The name by which the client's driver introduces itself. A connection begins with a request that has it. */
export function driverNameOf(request: Buffer): string | undefined {
  const { client } =
    request.readInt32LE(CODE_AT) === OP_QUERY ? readQuery(request) : readCommand(request);
  return (client as { driver?: { name?: string } } | undefined)?.driver?.name;
}

/** The document of an OP_QUERY, which follows the collection's name and two numbers. */
function readQuery(request: Buffer): Fields {
  const at = request.indexOf(0, COLLECTION_AT) + 1 + 8;
  return BSON.deserialize(request.subarray(at, at + request.readInt32LE(at)));
}
