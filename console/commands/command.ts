import type { Console } from '../console.ts';

/** A command of ours: what it prints, or an Error whose message says what was wrong with the line. */
export interface Command {
  /** As commander reads it: `name <required> [optional]`. */
  command: string;
  description: string;
  options?: { option: string; description: string }[];
  print(operator: Console, args: Arguments): Promise<string>;
}
export interface Arguments {
  options: Record<string, unknown>;
  [name: string]: unknown;
}
