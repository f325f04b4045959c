import type { Transit } from 'moleculer';
import {
  isReadable,
  type RemoteStreams,
  STREAM_HEADER,
  type StreamOffer,
} from './remote-streams.ts';

/**
 * Makes a transit send the stream that an action answers through `RemoteStreams`, in place of Moleculer's own
 * way, which sends as fast as the source produces.
 */
export function carryResponseStreams(transit: Transit, streams: RemoteStreams): void {
  const send = transit.sendResponse.bind(transit);
  transit.sendResponse = (nodeID, id, meta, headers, data, error) => {
    if (error || !isReadable(data)) return send(nodeID, id, meta, headers, data, error);
    const offer = streams.offerForAWhile(data);
    return send(nodeID, id, meta, { ...headers, [STREAM_HEADER]: offer }, {}, error);
  };
  const receive = transit.responseHandler.bind(transit);
  transit.responseHandler = (packet) => {
    const offer = packet.headers?.[STREAM_HEADER] as StreamOffer | undefined;
    if (!offer) return receive(packet);
    if (!transit.pendingRequests.has(packet.id)) return streams.refuse(offer);
    receive({ ...packet, data: streams.open(offer) });
  };
}
