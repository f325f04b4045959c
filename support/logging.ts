import { pino } from 'pino';
import { environment } from '../environment/environment.ts';
import { currentTrace, traceFields } from './tracing/context.ts';

/** The log of the process: JSON lines on stdout. Callers must not pass secrets. */
export const logger = pino({
  level: environment.LOG_LEVEL,
  base: { pid: process.pid },
  mixin: () => traceFields(currentTrace()),
});

/** The log level of Moleculer: `warn` with the default `LOG_LEVEL`, otherwise the value of `LOG_LEVEL`. */
export const brokerLogLevel = environment.LOG_LEVEL === 'info' ? 'warn' : environment.LOG_LEVEL;
