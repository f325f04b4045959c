import { stderr, stdin } from 'node:process';
import type { REPLServer } from 'node:repl';
import type { Console } from './console.ts';

/**
 * Lines are carried out one after another, also when they are piped in at once, and the end of the
 * input waits for the last of them: the REPL itself awaits none, and leaves in the midst of them. Of lines
 * that were piped in the exit code is 1 when one of them failed.
 */
export function inTurn(repl: REPLServer, operator: Console): void {
  const changed = repl as { -readonly [K in keyof REPLServer]: REPLServer[K] }; // read-only in type alone
  const evaluate = repl.eval;
  let last: Promise<void> = Promise.resolve();
  let complained = false;
  changed.ignoreUndefined = true; // what a command has to say it has printed
  changed.eval = function (this: REPLServer, line, context, file, done) {
    const carriedOut = () =>
      new Promise<void>((resolve) => {
        operator.line = line;
        evaluate.call(this, line, context, file, (error, result) => {
          done.call(this, error, result);
          resolve();
        });
      });
    last = last.then(carriedOut);
  };
  whenWritten(stderr, () => {
    complained = true;
  });
  repl.removeAllListeners('exit');
  repl.once('exit', async () => {
    await last;
    await operator.leave();
    process.exit(complained && !stdin.isTTY ? 1 : 0);
  });
}

/** What goes wrong is told there, by our commands and by those that the REPL brings along. */
function whenWritten(stream: NodeJS.WriteStream, tell: () => void): void {
  const write = stream.write;
  stream.write = ((...args: Parameters<typeof write>) => {
    tell();
    return write.apply(stream, args);
  }) as typeof write;
}
