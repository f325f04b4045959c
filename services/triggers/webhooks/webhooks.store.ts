import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import { type WebhookDocument, WebhookModel } from '../../../models/webhook.model.ts';

export type StoredWebhook = Shown<WebhookDocument, 'flowSlot' | 'workspaceSlot' | 'tokenHash'>;

/** The one way to write webhooks. */
export const webhooks = changesOf(WebhookModel, {
  hidden: ['flowSlot', 'workspaceSlot', 'tokenHash'],
  missing: (id: number) => new Problem(NotFound, `There is no webhook ${id}.`),
});
