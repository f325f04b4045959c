import { paramsOf } from '../contract/contract.ts';
import { listOptions } from './commands.ts';
import { actionNames, contractOf } from './contract-index.ts';

/**
 * Completes the parameters of a call, the action of `explain`, and the options of the commands of this console.
 * Returns null for any other line, which moleculer-repl completes.
 */
export function completions(line: string): [string[], string] | null {
  const words = line.split(' ');
  const [command, first = ''] = words;
  const last = words.at(-1) ?? '';
  if (command === 'call' && words.length > 2) return [parametersOf(first, last), last];
  if (command === 'explain' && words.length === 3) {
    return [actionNames().filter((name) => name.startsWith(last)), last];
  }
  if (last.startsWith('-') && words.length > 1) {
    const options = listOptions(command ?? '').filter((option) => option.startsWith(last));
    return options.length ? [options, last] : null;
  }
  return null;
}

function parametersOf(action: string, begun: string): string[] {
  const contract = contractOf(action);
  if (!contract) return [];
  return Object.keys(paramsOf(contract).shape)
    .map((name) => `--${name}`)
    .filter((option) => option.startsWith(begun));
}
