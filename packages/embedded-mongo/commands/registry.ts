import { fail } from '../errors.ts';
import { AGGREGATE } from './aggregate.ts';
import { COLLECTION_COMMANDS } from './collections.ts';
import { CURSOR_COMMANDS } from './cursors.ts';
import { DIAGNOSTICS } from './diagnostics.ts';
import { EXPLAIN } from './explain.ts';
import { READ_COMMANDS } from './find.ts';
import { FIND_AND_MODIFY } from './find-and-modify.ts';
import { INDEX_COMMANDS } from './indexes.ts';
import { INSERT_COMMANDS } from './insert.ts';
import type { Commands } from './request.ts';
import { CHANGE_COMMANDS } from './update.ts';

const notInTransaction: Commands[string] = {
  inTransaction: true,
  run: () => fail('NoSuchTransaction', 'No transaction is in progress on this session.'),
};

/** All commands that a client may send, by their names. */
export const COMMANDS: Commands = {
  ...AGGREGATE,
  ...CHANGE_COMMANDS,
  ...COLLECTION_COMMANDS,
  ...CURSOR_COMMANDS,
  ...DIAGNOSTICS,
  ...EXPLAIN,
  ...FIND_AND_MODIFY,
  ...INDEX_COMMANDS,
  ...READ_COMMANDS,
  ...INSERT_COMMANDS,
  commitTransaction: notInTransaction,
  abortTransaction: notInTransaction,
};
