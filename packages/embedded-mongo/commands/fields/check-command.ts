import type { Document } from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { checkSession } from '../../sessions/session-info.ts';
import type { Command } from '../request.ts';
import { checkApiVersion } from './api-version.ts';
import { COMMAND_FIELDS } from './command-fields.ts';
import { checkFields } from './fields.ts';
import { checkWriteConcern } from './write-concern.ts';

/** The commands that end a transaction. They alone have a write concern within it. */
const ENDINGS = new Set(['commitTransaction', 'abortTransaction']);
/** The commands that may have a transaction number outside of a transaction, since they are done once. */
const RETRYABLE = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify']);

/** Checks the form of a command before it runs: its fields, their types, and the options that all commands have. */
export function checkCommand(name: string, command: Command, body: Document): void {
  const table = COMMAND_FIELDS.get(name);
  if (table) checkFields(table, body, body.get('apiStrict') === true);
  checkApiVersion(name, body);
  checkSession(body);
  checkRetryable(name, body);
  const mayWrite = command.writes !== undefined && body.get('autocommit') !== false;
  checkWriteConcern(body, mayWrite || ENDINGS.has(name));
}

function checkRetryable(name: string, body: Document): void {
  if (body.get('txnNumber') === undefined || body.get('autocommit') !== undefined) return;
  if (RETRYABLE.has(name) || ENDINGS.has(name)) return;
  fail(
    'NotARetryableWriteCommand',
    `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${name} is not a retryable write command.`,
  );
}
