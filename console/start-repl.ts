import { stdin, stdout } from 'node:process';
import type { REPLServer } from 'node:repl';
import type { Console } from './console.ts';

/** Starts the REPL. With piped lines it has neither a welcome nor prompts, so that stdout has results alone. */
export function startRepl(operator: Console): REPLServer {
  const start = () => {
    const repl = operator.broker.repl() as unknown as REPLServer;
    for (const keyword of Object.keys(repl.commands)) {
      if (keyword !== 'exit') delete (repl.commands as Record<string, unknown>)[keyword];
    }
    return repl;
  };
  if (stdin.isTTY) {
    stdout.write(`${operator.welcome()}\n`);
    const repl = start();
    operator.onChange(
      () => repl.setPrompt(operator.prompt),
      () => repl.close(),
    );
    return repl;
  }
  const { write } = stdout;
  stdout.write = () => true; // the start itself writes the first prompt
  try {
    const repl = start();
    repl.setPrompt('');
    operator.onChange(
      () => undefined,
      () => repl.close(),
    );
    return repl;
  } finally {
    stdout.write = write;
  }
}
