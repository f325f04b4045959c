import { type ActionContract, paramsOf } from '../mixins/contract.ts';
import { contractOf } from './contract-of.ts';

/** What an action wants as text stays text: the command line makes `--title 42` a number. */
export function fitted(action: string, params: unknown): unknown {
  const contract = contractOf(action);
  if (!contract || typeof params !== 'object' || params === null) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, asWanted(contract, name, value)]),
  );
}

function asWanted(contract: ActionContract, name: string, value: unknown): unknown {
  if (typeof value !== 'number' && typeof value !== 'boolean') return value;
  const type = paramsOf(contract).shape[name];
  const fits = (candidate: unknown): boolean => type?.safeParse(candidate).success === true;
  return !fits(value) && fits(String(value)) ? String(value) : value;
}
