import { type ActionContract, paramsOf } from '../contract/contract.ts';
import { contractOf } from './contract-index.ts';

/**
 * Fits the parsed parameters of a call to the types of its action. The command line parses `1e3` and `1.10` as
 * numbers; a parameter that the action takes as text gets the text of the line. A list may have one value.
 */
export function fitArguments(
  action: string,
  params: Readonly<Record<string, unknown>>,
  line: string,
): Record<string, unknown> {
  const contract = contractOf(action);
  return Object.fromEntries(
    Object.entries(params).map(([typed, value]) => {
      const name = typed.replace(/\[\]$/, '');
      return [name, contract ? fitValue(contract, name, value, line) : value];
    }),
  );
}

function fitValue(contract: ActionContract, name: string, value: unknown, line: string): unknown {
  const type = paramsOf(contract).shape[name];
  const flag = value === 'true' || value === 'false' ? value === 'true' : undefined;
  const candidates = [value, findTypedText(line, name), flag, [value]];
  const isSimple = ['number', 'boolean', 'string'].includes(typeof value);
  if (!type || !isSimple) return value;
  const fitting = candidates.find(
    (candidate) => candidate !== undefined && type.safeParse(candidate).success,
  );
  return fitting ?? value;
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
