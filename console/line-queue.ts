import { stdin } from 'node:process';
import type { REPLServer } from 'node:repl';
import type { Console } from './console.ts';
import { REFUSED_COMMANDS } from './repl-package.ts';

/**
 * Makes the REPL execute lines one after another, and end after the last line. The REPL itself awaits no line, so
 * that piped lines would run at once and be cut off. With piped lines the exit code is 1 when a line has failed.
 */
export function queueLines(repl: REPLServer, operator: Console): void {
  const changed = repl as { -readonly [K in keyof REPLServer]: REPLServer[K] }; // read-only in type alone
  const evaluate = repl.eval;
  let last: Promise<void> = Promise.resolve();
  changed.ignoreUndefined = true; // a command prints its result itself
  changed.eval = function (this: REPLServer, line, context, file, done) {
    const executeLine = () =>
      new Promise<void>((resolve) => {
        const end = (error: Error | null, result: unknown) => {
          done.call(this, error, result);
          resolve();
        };
        if (operator.hasLeft) return end(null, undefined);
        operator.line = line.trim();
        const refusal = refusalOf(operator.line);
        if (refusal === null) return evaluate.call(this, line, context, file, end);
        operator.output.fail(refusal);
        end(null, undefined);
      });
    last = last.then(executeLine);
  };
  repl.removeAllListeners('exit');
  repl.once('exit', async () => {
    await last;
    await operator.leave();
    process.exit(operator.output.hasFailed && !stdin.isTTY ? 1 : 0);
  });
}

/** Why a line is not executed, by the command that it names; null for a line that is. */
function refusalOf(line: string): string | null {
  const [first = '', second] = line.split(/\s+/);
  const name = first === 'help' && second ? second : first;
  if (!Object.hasOwn(REFUSED_COMMANDS, name)) return null;
  return `${name} is no command of this console: ${REFUSED_COMMANDS[name]}.`;
}
