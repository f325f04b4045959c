export { connectionOf } from './address.ts';
export { assertNatsAnswers, requestOnce } from './connection.ts';
export {
  isUndelivered,
  type NatsErrors,
  NoRespondersError,
  StreamClosedError,
  TooManyStreamsError,
} from './errors.ts';
export {
  isNatsUp,
  probeService,
  type ServicePresence,
  setAcceptingCalls,
} from './reachability.ts';
export { announceServices, RemoteCalls } from './remote-calls.ts';
export { requestStreamOf } from './request-streams.ts';
export { defaultStreamLimits, type StreamLimits } from './stream-limits.ts';
export { nodeIdOf } from './subjects.ts';
export { NatsTransporter } from './transporter.ts';
