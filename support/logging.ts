import { pino } from 'pino';
import { environment } from '../environment/environment.ts';
import { currentTrace, traceFields } from './tracing/context.ts';

/** The process's log: JSON lines on stdout. Nothing secret is handed to it. */
export const logger = pino({
  level: environment.LOG_LEVEL,
  base: { pid: process.pid },
  mixin: () => traceFields(currentTrace()),
});

/** Moleculer's own chatter begins where somebody asks for it. */
export const brokerLogLevel = environment.LOG_LEVEL === 'info' ? 'warn' : environment.LOG_LEVEL;
