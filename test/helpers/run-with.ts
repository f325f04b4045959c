import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a program has printed, and its exit code. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program with that environment and that text on stdin. */
export async function runWith(
  program: string,
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<Ended> {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
