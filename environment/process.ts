import { z } from 'zod';
import { list, oneOf, optional, withDefault } from './values/text-values.ts';

export const SERVICE_NAMES = [
  'api',
  'identity',
  'workspaces',
  'issues',
  'connections',
  'configurations',
  'flows',
  'workflows',
  'dev-mode',
  'runs',
  'triggers',
  'events',
  'assistant',
  'recordings',
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

const serviceList = list.pipe(
  z.array(oneOf(SERVICE_NAMES)).min(1, `some of ${SERVICE_NAMES.join(', ')}`),
);

/** The variables of the process: its services, its kind of environment and its log level. */
export const processVariables = {
  SERVICES: withDefault(serviceList, SERVICE_NAMES.join(',')),
  NODE_ENV: withDefault(oneOf(['development', 'test', 'production']), 'development'),
  DEVELOPMENT_ON_NETWORK: optional(oneOf(['1'])),
  LOG_LEVEL: withDefault(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
  ),
};
