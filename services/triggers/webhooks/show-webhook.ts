import { publicUrl } from '../../../environment/environment.ts';
import type { Webhook } from '../contract/resources.ts';
import type { StoredWebhook } from './webhooks.store.ts';

export const showWebhook = (
  { _id: id, flowId, createdBy, createdAt }: StoredWebhook,
  token: string,
): Webhook => ({
  id,
  flowId,
  url: `${publicUrl}/hooks/${token}`,
  createdBy,
  createdAt: createdAt.toISOString(),
});
