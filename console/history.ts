import type { REPLServer } from 'node:repl';

const SECRET = /password|token/i;

/** Lines are kept in `~/.moleculer_repl_history`; those with a secret are not. */
export function keepNoSecrets(repl: REPLServer): void {
  repl.on('history', (lines: string[]) => {
    if (SECRET.test(lines[0] ?? '')) lines.shift(); // the newest comes first
  });
}
