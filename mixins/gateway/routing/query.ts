import type { FieldFault } from '../../../contract/problem.ts';

/** Parameters of a query or a form. A text with more of them is refused with 400 and not read. */
const MAX_PARAMETERS = 100;

export interface Query {
  values: Record<string, string>;
  faults: FieldFault[];
}

type FaultOf = (path: string, code: string, message: string) => FieldFault;

/**
 * Parses a query into flat strings: `a[$ne]=1` is a parameter with the name `a[$ne]`, which no operation knows. A form
 * has the same syntax; `fault` makes a fault of its place.
 */
export function parseQuery(text: string, fault: FaultOf = queryFault): Query {
  const values: Record<string, string> = Object.create(null);
  const faults: FieldFault[] = [];
  if (!text) return { values, faults };
  const pairs = text.split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    faults.push(fault('', 'too_many', `there are more than ${MAX_PARAMETERS} parameters`));
    return { values, faults };
  }
  for (const pair of pairs.filter(Boolean)) addPair(pair, { values, faults }, fault);
  return { values, faults };
}

function addPair(pair: string, { values, faults }: Query, fault: FaultOf): void {
  const equals = pair.indexOf('=');
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
  if (name === null || value === null) {
    const shown = name ?? pair;
    faults.push(fault(shown, 'malformed', 'is not valid percent-encoded UTF-8'));
  } else if (name in values) {
    faults.push(fault(name, 'given_twice', 'is given more than once'));
  } else if (value.includes('\0')) {
    faults.push(fault(name, 'forbidden_character', 'must not contain NUL'));
  } else {
    values[name] = value;
  }
}

const queryFault: FaultOf = (path, code, message) => ({
  in: 'query',
  path,
  code,
  message,
});

/** Decodes percent-encoded text of a query; null for text that is not valid UTF-8. */
export function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
