import { actAs } from './commands/act-as.ts';
import { cancel } from './commands/cancel.ts';
import type { Arguments, Command } from './commands/command.ts';
import { deliveries } from './commands/deliveries.ts';
import { explainCommand } from './commands/explain.ts';
import { mails, resend } from './commands/mails.ts';
import { replay } from './commands/replay.ts';
import { run } from './commands/run.ts';
import { runs } from './commands/runs.ts';
import { schedules } from './commands/schedules.ts';
import { workers } from './commands/workers.ts';
import type { Console } from './console.ts';
import { formatError } from './error-text.ts';

const COMMANDS: readonly Command[] = [
  run,
  runs,
  workers,
  cancel,
  schedules,
  deliveries,
  replay,
  mails,
  resend,
  actAs,
  explainCommand,
];

/** Lists the options of a command of this console, such as `--live`. */
export const listOptions = (name: string): string[] => {
  const found = COMMANDS.find(({ command }) => command.split(' ')[0] === name);
  return (found?.options ?? []).map(({ option }) => option.split(' ')[0] ?? '');
};

/** Makes the definitions of the commands for moleculer-repl, which adds help and completion. */
export const commands = (operator: Console): object[] =>
  COMMANDS.map(({ print, ...definition }) => ({
    ...definition,
    async action(_broker: unknown, args: Arguments) {
      try {
        process.stdout.write(`${await print(operator, args)}\n`);
      } catch (error) {
        process.stderr.write(`${formatError(error)}\n`);
      }
    },
  }));
