import { hostname } from 'node:os';
import { pino } from 'pino';
import { build } from '../environment/build.ts';
import { environment } from '../environment/environment.ts';
import { currentTrace, traceFields } from './tracing/context.ts';

/** The log of the process: JSON lines on stdout. Each line says when and where, by which process and version. Callers must not pass secrets. */
export const logger = pino({
  level: environment.LOG_LEVEL,
  base: { pid: process.pid, hostname: hostname(), version: build.version },
  formatters: { level: (level) => ({ level }) },
  timestamp: pino.stdTimeFunctions.isoTime,
  mixin: () => traceFields(currentTrace()),
});

/** The log level of Moleculer: `warn` with the default `LOG_LEVEL`, otherwise the value of `LOG_LEVEL`. */
export const brokerLogLevel = environment.LOG_LEVEL === 'info' ? 'warn' : environment.LOG_LEVEL;
