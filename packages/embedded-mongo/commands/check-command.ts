import type { Document } from '../bson/values.ts';
import { checkSession } from '../sessions/session-info.ts';
import { checkApiVersion } from './api-version.ts';
import { COMMAND_FIELDS } from './command-fields.ts';
import { checkFields } from './fields.ts';
import type { Command } from './request.ts';
import { checkWriteConcern } from './write-concern.ts';

/** The commands that end a transaction. They alone have a write concern within it. */
const ENDINGS = new Set(['commitTransaction', 'abortTransaction']);

/** Checks the form of a command before it runs: its fields, their types, and the options that all commands have. */
export function checkCommand(name: string, command: Command, body: Document): void {
  const table = COMMAND_FIELDS.get(name);
  if (table) checkFields(table, body, body.get('apiStrict') === true);
  checkApiVersion(name, body);
  checkSession(body);
  const mayWrite = command.writes !== undefined && body.get('autocommit') !== false;
  checkWriteConcern(body, mayWrite || ENDINGS.has(name));
}
