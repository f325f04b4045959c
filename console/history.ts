import type { REPLServer } from 'node:repl';

const SECRET = /password|token|secret|authorization|\bkey\b|api-?key/i;

/** Keeps lines with a secret out of `~/.moleculer_repl_history`. */
export function keepNoSecrets(repl: REPLServer): void {
  repl.on('history', (lines: string[]) => {
    if (SECRET.test(lines[0] ?? '')) lines.shift(); // the newest line comes first
  });
}
