import { quotaBytes, quotaCount } from './values/quota-values.ts';
import { withDefault } from './values/text-values.ts';

/** The quotas of each person and of each workspace. */
export const quotaVariables = {
  WORKSPACES_PER_PERSON: withDefault(quotaCount, '100'),
  DIRECTORY_ENTRIES_PER_DAY: withDefault(quotaCount, '100'),
  SERVICE_ACCOUNTS_PER_WORKSPACE: withDefault(quotaCount, '100'),
  API_KEYS_PER_WORKSPACE: withDefault(quotaCount, '1000'),
  INVITATIONS_PER_WORKSPACE: withDefault(quotaCount, '1000'),
  TRANSFORMATION_TESTS_PER_FLOW: withDefault(quotaCount, '50'),
  EVENT_SUBSCRIPTIONS_PER_WORKSPACE: withDefault(quotaCount, '50'),
  EVENT_BYTES_PER_WORKSPACE: withDefault(quotaBytes, '1GiB'),
  RECORDINGS_PER_WORKSPACE: withDefault(quotaCount, '100'),
  EVENTS_PER_RECORDING: withDefault(quotaCount, '1000000'),
  BYTES_PER_RECORDING: withDefault(quotaBytes, '100MiB'),
  ATTACHMENTS_PER_CONVERSATION: withDefault(quotaCount, '50'),
  ATTACHMENT_BYTES_PER_WORKSPACE: withDefault(quotaBytes, '1GiB'),
  QUEUED_RUNS_PER_WORKSPACE: withDefault(quotaCount, '10000'),
  RUN_BYTES_PER_WORKSPACE: withDefault(quotaBytes, '10GiB'),
  SCHEDULES_PER_FLOW: withDefault(quotaCount, '100'),
  SCHEDULES_PER_WORKSPACE: withDefault(quotaCount, '1000'),
  WEBHOOKS_PER_FLOW: withDefault(quotaCount, '100'),
  WEBHOOKS_PER_WORKSPACE: withDefault(quotaCount, '1000'),
};
