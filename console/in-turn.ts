import type { REPLServer } from 'node:repl';

/**
 * Lines are carried out one after another, also when they are piped in at once, and the end of the
 * input waits for the last of them: the REPL itself awaits none, and leaves in the midst of them.
 */
export function inTurn(repl: REPLServer, leave: () => Promise<void>): void {
  const changed = repl as { -readonly [K in keyof REPLServer]: REPLServer[K] }; // read-only in type alone
  const evaluate = repl.eval;
  let last: Promise<void> = Promise.resolve();
  changed.ignoreUndefined = true; // what a command has to say it has printed
  changed.eval = function (this: REPLServer, line, context, file, done) {
    const carriedOut = () =>
      new Promise<void>((resolve) => {
        evaluate.call(this, line, context, file, (error, result) => {
          done.call(this, error, result);
          resolve();
        });
      });
    last = last.then(carriedOut);
  };
  repl.removeAllListeners('exit');
  repl.once('exit', async () => {
    await last;
    await leave();
    process.exit(0);
  });
}
