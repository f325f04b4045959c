import { type ActionContract, paramsOf } from '../contract/contract.ts';
import { contractOf } from './contract-of.ts';

/**
 * A call's parameters as its action wants them. The command line makes a number of all that looks like
 * one, `1e3` and `1.10` too: what an action wants as text is put back as it was typed on the line.
 */
export function fitted(action: string, params: unknown, line: string): unknown {
  const contract = contractOf(action);
  if (!contract || typeof params !== 'object' || params === null) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, asWanted(contract, name, value, line)]),
  );
}

function asWanted(contract: ActionContract, name: string, value: unknown, line: string): unknown {
  if (typeof value !== 'number' && typeof value !== 'boolean') return value;
  const type = paramsOf(contract).shape[name];
  const fits = (candidate: unknown): boolean => type?.safeParse(candidate).success === true;
  const typed = typedOn(line, name);
  return !fits(value) && fits(typed) ? typed : value;
}

/** A word of the line, quotes and all. */
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;

/** What stands behind `--name` on the line; undefined when nothing does. */
function typedOn(line: string, name: string): string | undefined {
  const words = line.match(WORD) ?? [];
  const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  const [, joined] = /^--[^=]+=(.*)$/s.exec(words[at] ?? '') ?? [];
  const word = joined ?? words[at + 1];
  return word?.startsWith('--') ? undefined : word?.replaceAll(/["']/g, '');
}
