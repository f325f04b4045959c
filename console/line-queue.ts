import { stderr, stdin } from 'node:process';
import type { REPLServer } from 'node:repl';
import type { Console } from './console.ts';

/**
 * Makes the REPL execute lines one after another, and end after the last line. The REPL itself awaits no line, so
 * that piped lines would run at once and be cut off. With piped lines the exit code is 1 when a line has failed.
 */
export function queueLines(repl: REPLServer, operator: Console): void {
  const changed = repl as { -readonly [K in keyof REPLServer]: REPLServer[K] }; // read-only in type alone
  const evaluate = repl.eval;
  let last: Promise<void> = Promise.resolve();
  let hasFailed = false;
  changed.ignoreUndefined = true; // a command prints its result itself
  changed.eval = function (this: REPLServer, line, context, file, done) {
    const executeLine = () =>
      new Promise<void>((resolve) => {
        operator.line = line;
        evaluate.call(this, line, context, file, (error, result) => {
          done.call(this, error, result);
          resolve();
        });
      });
    last = last.then(executeLine);
  };
  onWrite(stderr, () => {
    hasFailed = true;
  });
  repl.removeAllListeners('exit');
  repl.once('exit', async () => {
    await last;
    await operator.leave();
    process.exit(hasFailed && !stdin.isTTY ? 1 : 0);
  });
}

/** Calls `written` at each write. Every command, also a command of moleculer-repl, writes its errors to stderr. */
function onWrite(stream: NodeJS.WriteStream, written: () => void): void {
  const write = stream.write;
  stream.write = ((...args: Parameters<typeof write>) => {
    written();
    return write.apply(stream, args);
  }) as typeof write;
}
