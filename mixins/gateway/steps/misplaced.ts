import { type ActionContract, knownPlaceOf, type Place } from '../../../contract/contract.ts';
import type { FieldFault } from '../../../contract/problem.ts';
import { unknownField } from '../../../contract/zod-faults.ts';
import { bodyFault } from '../body/body-fault.ts';
import type { Route } from '../routing/router.ts';

/** The part of a route that says where its parameters belong. */
type Parameters = Pick<Route, 'contract' | 'method' | 'path'>;

/** A request that gives the parameter in its query, as far as that can be written in general. */
const withQuery = ({ method, path }: Parameters, name: string): string =>
  `${method} ${path.replace(/:(\w+)/g, '{$1}')}?${name}=…`;

/** The fault of a parameter that the query has to have, with the way to give it. */
export const missingParameter = (route: Parameters, name: string): FieldFault => ({
  in: 'query',
  path: name,
  code: 'required',
  message: `is required, as a parameter of the query: ${withQuery(route, name)}`,
});

const TITLES: Readonly<Record<Place, string>> = {
  path: 'the path',
  query: 'the query',
  body: 'the body',
  header: 'the headers',
};

/** The fault of a value in a place where the operation does not read it. It says where the value belongs, if anywhere. */
export function misplacedField(
  route: Parameters,
  place: 'query' | 'body',
  name: string,
): FieldFault {
  const fault =
    place === 'body'
      ? bodyFault(name, 'unknown_field', unknownBodyField(route.contract))
      : unknownField(place, name);
  const proper = knownPlaceOf(route.contract, name);
  if (!proper || proper === place) return fault;
  const how = proper === 'query' ? `: ${withQuery(route, name)}` : '';
  return {
    ...fault,
    message: `is not read from ${TITLES[place]}, but from ${TITLES[proper]}${how}`,
  };
}

/** Says which fields the body has: a client often forgets the field that its values belong in. */
function unknownBodyField({ body = {} }: ActionContract): string {
  const { message } = unknownField('body', '');
  const names = Object.keys(body);
  return names.length ? `${message}; the body has: ${names.join(', ')}` : message;
}
