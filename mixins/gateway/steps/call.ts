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

function metaOf({ caller, client, traceparent, faults, reservedId }: ReadRequest): Meta {
  return {
    caller,
    client,
    traceparent,
    ...(faults.length ? { faults } : {}),
    ...(reservedId === undefined ? {} : { reservedId }),
  };
}
