import { type ActionContract, paramsOf } from '../contract/contract.ts';
import { contractOf } from './contract-index.ts';

/**
 * Fits the parsed parameters of a call to the types of its action. The command line parses `1e3` and `1.10` as
 * numbers; a parameter that the action takes as text gets the text of the line.
 */
export function fitArguments(action: string, params: unknown, line: string): unknown {
  const contract = contractOf(action);
  if (!contract || typeof params !== 'object' || params === null) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, fitValue(contract, name, value, line)]),
  );
}

function fitValue(contract: ActionContract, name: string, value: unknown, line: string): unknown {
  if (typeof value !== 'number' && typeof value !== 'boolean') return value;
  const type = paramsOf(contract).shape[name];
  const fits = (candidate: unknown): boolean => type?.safeParse(candidate).success === true;
  const typed = findTypedText(line, name);
  return !fits(value) && fits(typed) ? typed : value;
}

/** Matches a word of the line, with its quotes. */
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;

/** Finds the text after `--name` on the line; undefined when the line has no such text. */
function findTypedText(line: string, name: string): string | undefined {
  const words = line.match(WORD) ?? [];
  const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  const [, joined] = /^--[^=]+=(.*)$/s.exec(words[at] ?? '') ?? [];
  const word = joined ?? words[at + 1];
  return word?.startsWith('--') ? undefined : word?.replaceAll(/["']/g, '');
}
