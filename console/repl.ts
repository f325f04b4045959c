import '../support/json-parse.ts';
import { stdin } from 'node:process';
import { commands } from './commands.ts';
import { completions } from './completion.ts';
import { Console } from './console.ts';
import { keepNoSecrets } from './history.ts';
import { queueLines } from './line-queue.ts';
import { assertReplInstalled, limitReplCommands } from './repl-package.ts';
import { startRepl } from './start-repl.ts';

/** `npm run repl`: joins the running system and calls its actions, as its operator. */
const operator = new Console();
try {
  assertReplInstalled();
  limitReplCommands(operator.output, stdin.isTTY);
  await operator.join(commands(operator));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

interface Completing {
  completer(line: string, complete: (error: null, found: [string[], string]) => void): void;
}
const repl = startRepl(operator);
const completing = repl as unknown as Completing;
const usual = completing.completer;
completing.completer = (line, complete) => {
  const ours = completions(line);
  if (ours) complete(null, ours);
  else usual.call(repl, line.replace(/^help /, ''), complete); // `help` takes the name of a command
};
keepNoSecrets(repl);
queueLines(repl, operator);
