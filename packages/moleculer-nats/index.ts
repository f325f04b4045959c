export { connectionOf } from './address.ts';
export { assertNatsAnswers, requestOnce } from './connection.ts';
export { isUndelivered, type NatsErrors, NoRespondersError } from './errors.ts';
export { hasResponder, isNatsUp, setAcceptingCalls } from './reachability.ts';
export { announceServices, RemoteCalls } from './remote-calls.ts';
export { nodeIdOf } from './subjects.ts';
export { NatsTransporter } from './transporter.ts';
