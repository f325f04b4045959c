import type { ServiceBroker } from 'moleculer';
import type { Meta } from '../../../contract/contract-types.ts';
import type { ReadRequest } from '../gateway-request.ts';

/**
 * Calls the action of a request. The call is made by the action's name: NATS chooses who answers, and knows
 * at once who is gone. It goes on to its end where the client has left.
 */
export function callAction(broker: ServiceBroker, request: ReadRequest): Promise<unknown> {
  const { route, params, requestId } = request;
  return broker.call(route.action, params, { requestID: requestId, meta: metaOf(request) });
}

/** Checks that the caller may still make the call, and makes none. Throws what the access check refuses with. */
export async function assertAccess(broker: ServiceBroker, request: ReadRequest): Promise<void> {
  const { route, params, requestId, caller, client, traceparent } = request;
  const meta: Meta = { caller, client, traceparent, accessOnly: true };
  await broker.call(route.action, params, { requestID: requestId, meta });
}

function metaOf(request: ReadRequest): Meta {
  const { caller, client, traceparent, faults, reservedId } = request;
  const ifMatch = ifMatchOf(request);
  return {
    caller,
    client,
    traceparent,
    ...(faults.length ? { faults } : {}),
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(reservedId === undefined ? {} : { reservedId }),
  };
}

/** The condition of a change; the service compares it with the resource as it is then (RFC 9110, section 13.1.1). */
const ifMatchOf = ({ route, http }: ReadRequest): string | undefined =>
  route.contract.etag && route.method !== 'GET' ? http.headers['if-match'] : undefined;
