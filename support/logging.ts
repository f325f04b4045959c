import { pino } from 'pino';
import { environment } from '../environment/environment.ts';
import { currentTrace, traceFields } from './tracing/context.ts';

/** The process's log: JSON lines on stdout. Callers pass nothing secret. */
export const logger = pino({
  level: environment.LOG_LEVEL,
  base: { pid: process.pid },
  mixin: () => traceFields(currentTrace()),
});

/** Moleculer logs warnings and errors only, unless `LOG_LEVEL` is another than the default. */
export const brokerLogLevel = environment.LOG_LEVEL === 'info' ? 'warn' : environment.LOG_LEVEL;
