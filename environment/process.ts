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

/** The id of a commit, whole or shortened as git shortens it. */
const commitId = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, 'the id of a commit: 7 to 64 hexadecimal digits, lower case');

/** The variables of the process: its services, its kind of environment, its log level and its build. */
export const processVariables = {
  SERVICES: withDefault(serviceList, SERVICE_NAMES.join(',')),
  NODE_ENV: withDefault(oneOf(['development', 'test', 'production']), 'development'),
  DEVELOPMENT_ON_NETWORK: optional(oneOf(['1'])),
  LOG_LEVEL: withDefault(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
  ),
  BUILD_COMMIT: optional(commitId),
};
