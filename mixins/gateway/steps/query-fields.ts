import { isRequired } from '../../../contract/contract.ts';
import type { FieldFault } from '../../../contract/problem.ts';
import { isIdField, queryFieldsOf, valueOfText } from '../../../contract/text-body.ts';
import { idFault } from '../../../contract/zod-faults.ts';
import type { GatewayRequest, IdentifiedRequest } from '../gateway-request.ts';
import { missingParameter } from './misplaced.ts';

/** The part of a read request that the parameters of the query go to. */
interface Parameters {
  params: Record<string, unknown>;
  faults: FieldFault[];
}

/**
 * Reads the fields of the body from the query, for a request whose body is the text of another field. The services know
 * such a field as one of the body, and `placeFaults` names the query again. Returns the other parameters.
 */
export function takeQueryFields(
  request: IdentifiedRequest,
  into: Parameters,
): Record<string, string> {
  const { route, query } = request;
  const fields = new Map(queryFieldsOf(route.contract));
  request.queryFields = new Set(fields.keys());
  into.faults = into.faults.map((fault) =>
    fault.in === 'query' && fields.has(fault.path) ? { ...fault, in: 'body' } : fault,
  );
  const others: Record<string, string> = Object.create(null);
  for (const [name, text] of Object.entries(query.values)) {
    const type = fields.get(name);
    const value = type ? valueOfText(type, text) : text;
    if (type) into.params[name] = value;
    else others[name] = text;
    if (type && isIdField(type) && value === text) into.faults.push(idFault('body', name));
  }
  for (const [name, type] of fields) {
    if (!Object.hasOwn(query.values, name) && isRequired(type)) {
      into.faults.push({ ...missingParameter(route, name), in: 'body' });
    }
  }
  return others;
}

/** The faults as the client knows them: fields of the body that came from the query are named there. */
export const placeFaults = (
  { queryFields }: Pick<GatewayRequest, 'queryFields'>,
  faults: readonly FieldFault[],
): readonly FieldFault[] =>
  faults.map((fault) =>
    fault.in === 'body' && queryFields?.has(fault.path) ? { ...fault, in: 'query' } : fault,
  );
