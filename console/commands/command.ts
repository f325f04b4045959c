import type { Console } from '../console.ts';

/** A command. `print` resolves with its output, or rejects with an Error that names the fault of the line. */
export interface Command {
  /** In the syntax of commander: `name <required> [optional]`. */
  command: string;
  description: string;
  options?: { option: string; description: string }[];
  print(operator: Console, args: Arguments): Promise<string>;
}
export interface Arguments {
  options: Record<string, unknown>;
  [name: string]: unknown;
}
