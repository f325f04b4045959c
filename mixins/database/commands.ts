import type { mongo } from 'mongoose';
import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** The event of a command that the database has answered. */
export const databaseCommand = new DiagnosticEvent<{
  command: string;
  outcome: 'ok' | 'failed';
  ms: number;
}>('database-command');

/** Publishes each command of a client that was made with `monitorCommands`. */
export function watchCommands(client: mongo.MongoClient): void {
  client.on('commandSucceeded', ({ commandName: command, duration: ms }) =>
    databaseCommand.publish({ command, outcome: 'ok', ms }),
  );
  client.on('commandFailed', ({ commandName: command, duration: ms }) =>
    databaseCommand.publish({ command, outcome: 'failed', ms }),
  );
}
