import { RemoteCalls } from '@workspace-automation/moleculer-nats';
import type { Middleware, ServiceBroker } from 'moleculer';
import { environment, isDevelopment } from '../environment/environment.ts';
import { Access } from './access/access.ts';
import type { AccessSources } from './access/access-sources.ts';
import { Activity } from './activity.ts';
import { CallFigures } from './call-figures.ts';
import { CallerPropagation } from './caller-propagation.ts';
import { ErrorMapping } from './error-mapping.ts';
import { natsProblems } from './nats-problems.ts';
import { OpenCalls } from './open-calls.ts';
import { ResultValidation } from './result-validation.ts';
import { TracedCalls } from './traced-calls.ts';
import { TracedEvents } from './traced-events.ts';
import { Validation } from './validation.ts';

/**
 * The middlewares of a broker, the innermost first. The middlewares of actions come
 * before those of calls.
 */
export function brokerMiddlewares(
  accessSourcesOf: (broker: ServiceBroker) => AccessSources,
): Middleware[] {
  return [
    ...(isDevelopment ? [ResultValidation] : []),
    Validation,
    Access(accessSourcesOf),
    ErrorMapping,
    OpenCalls,
    Activity,
    ...(environment.METRICS_PORT === undefined ? [] : [CallFigures]),
    ...(environment.NATS_URL ? [RemoteCalls(natsProblems)] : []),
    TracedCalls, // outside of RemoteCalls, so that calls over NATS carry their trace
    TracedEvents,
    CallerPropagation,
  ];
}
