import { unlock, verify } from './commands/accounts.ts';
import { actAs } from './commands/act-as.ts';
import { call } from './commands/call.ts';
import { cancel } from './commands/cancel.ts';
import type { Arguments, Command } from './commands/command.ts';
import { deliveries } from './commands/deliveries.ts';
import { explainCommand } from './commands/explain.ts';
import { exit } from './commands/exit.ts';
import { mails, resend } from './commands/mails.ts';
import { nodes } from './commands/nodes.ts';
import { replay } from './commands/replay.ts';
import { run } from './commands/run.ts';
import { runs } from './commands/runs.ts';
import { schedules } from './commands/schedules.ts';
import { workers } from './commands/workers.ts';
import type { Console } from './console.ts';
import { formatError } from './error-text.ts';

const COMMANDS: readonly Command[] = [
  call,
  nodes,
  run,
  runs,
  workers,
  cancel,
  schedules,
  deliveries,
  replay,
  mails,
  resend,
  verify,
  unlock,
  actAs,
  explainCommand,
  exit,
];

/** Lists the options of a command of this console, such as `--live`. */
export const listOptions = (name: string): string[] => {
  const found = COMMANDS.find(({ command }) => command.split(' ')[0] === name);
  return (found?.options ?? []).map(({ option }) => option.split(' ')[0] ?? '');
};

/** Makes the definitions of the commands for moleculer-repl, which adds help and completion. */
export const commands = (operator: Console): { command: string }[] =>
  COMMANDS.map(({ print, ...definition }) => ({
    ...definition,
    async action(_broker: unknown, args: Arguments) {
      try {
        const result = await print(operator, args);
        if (result !== null) operator.output.print(result);
      } catch (error) {
        operator.output.fail(formatError(error));
      }
    },
  }));
