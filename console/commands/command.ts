import type { Console } from '../console.ts';

/**
 * A command. `print` resolves with its output, null for none, or rejects with an Error that names the fault of the
 * line.
 */
export interface Command {
  /** In the syntax of commander: `name <required> [optional]`. */
  command: string;
  alias?: string[];
  description: string;
  options?: { option: string; description: string }[];
  /** Whether the line may have options that are not listed, such as the parameters of an action. */
  allowUnknownOptions?: boolean;
  print(operator: Console, args: Arguments): Promise<string | null>;
}
export interface Arguments {
  options: Record<string, unknown>;
  [name: string]: unknown;
}
