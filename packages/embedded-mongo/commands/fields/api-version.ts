import type { Document } from '../../bson/values.ts';
import { fail } from '../../errors.ts';

/** The commands of version 1 of the Stable API. */
const STABLE_COMMANDS = new Set([
  'abortTransaction',
  'aggregate',
  'collMod',
  'commitTransaction',
  'count',
  'create',
  'createIndexes',
  'delete',
  'deleteIndexes',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'endSessions',
  'explain',
  'find',
  'findAndModify',
  'findandmodify',
  'getMore',
  'hello',
  'insert',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
  'refreshSessions',
  'update',
]);

/** Checks the API version of a command, and that `apiStrict` allows the command. */
export function checkApiVersion(name: string, body: Document): void {
  const version = body.get('apiVersion');
  if (version === undefined) {
    if (body.has('apiStrict') || body.has('apiDeprecationErrors'))
      fail(4886600, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
    return;
  }
  if (version !== '1') fail('APIVersionError', 'API version must be "1"');
  if (body.get('apiStrict') === true && !STABLE_COMMANDS.has(name)) {
    fail(
      'APIStrictError',
      `Provided apiStrict:true, but the command ${name} is not in API Version 1. Information on supported commands and migrations in API Version 1 can be found at https://dochub.mongodb.org/core/manual-versioned-api`,
    );
  }
}
