import { stdin, stdout } from 'node:process';
import type { REPLServer } from 'node:repl';
import type { Console } from './console.ts';

/** Starts the REPL. With piped lines it has neither a welcome nor prompts, so that stdout has results alone. */
export function startRepl(operator: Console): REPLServer {
  const start = () => operator.broker.repl() as unknown as REPLServer;
  if (stdin.isTTY) {
    stdout.write(`${operator.welcome()}\n`);
    return start();
  }
  const { write } = stdout;
  stdout.write = () => true; // the start itself writes the first prompt
  try {
    const repl = start();
    repl.setPrompt('');
    return repl;
  } finally {
    stdout.write = write;
  }
}
