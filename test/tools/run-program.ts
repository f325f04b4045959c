import { execFile } from 'node:child_process';
import type { ToolOutput } from './run-tool.ts';

/** Milliseconds after which a program is killed. */
const TIMEOUT_MS = 60_000;

/** Runs a program of Debian. Rejects with the name of its package where the program is missing. */
export function runProgram(
  name: string,
  args: readonly string[],
  { debian, cwd }: { debian: string; cwd: string },
): Promise<ToolOutput> {
  return new Promise((resolve, reject) => {
    const child = execFile(name, args, { cwd, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') {
        reject(new Error(`${name} is missing: apt-get install ${debian}`));
      } else resolve({ stdout, stderr, code: child.exitCode ?? 1 });
    });
  });
}
