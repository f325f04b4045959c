import { randomUUID } from 'node:crypto';
import { isProblem, NotFound } from '../../../contract/problem.ts';
import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type WebhookDocument, WebhookModel } from '../../../models/webhook.model.ts';
import { hashOf } from '../../../support/hash.ts';
import type { Params } from '../../contracts.ts';
import type { StartRun } from '../schedules/scheduler/start-occurrence.ts';
import { noHook } from '../triggers.problems.ts';
import { hookInput } from './hook-input.ts';
import { assertSigned } from './signature.ts';
import { openSecret, type Sealer } from './webhook-secrets.ts';

export interface ReceiveTools {
  sealer: Sealer;
  startRun: StartRun;
}

/**
 * Starts the run of a request to a webhook. A request with a `webhook-id` that was received before is answered with the
 * run of the first. The token is compared by its hash, so that the time of an answer tells nothing of other tokens.
 */
export async function receiveRequest(
  { token, request }: Params<'triggers.receive'>,
  { sealer, startRun }: ReceiveTools,
): Promise<{ runId: number }> {
  const webhook = await findByToken(token);
  if (!webhook) throw noHook();
  const { _id, workspaceId, flowId, sealedSecret } = webhook;
  const body = Buffer.from(request.body, 'base64');
  const { headers } = request;
  if (sealedSecret !== null) {
    const secret = await openSecret(webhook, sealedSecret, sealer);
    assertSigned({ headers, body }, secret, databaseClock.date());
  }
  const input = hookInput(request, body);
  const result = await startRun({
    workspaceId,
    flowId,
    startKey: `webhook/${_id}/${requestNameOf(headers['webhook-id'])}`,
    startedBy: { type: 'system', id: _id, name: 'webhook' },
    input,
  }).catch((error: unknown) => {
    throw isProblem(error, NotFound) ? noHook() : error; // the flow, or the workspace, is being deleted
  });
  if (result.outcome !== 'STARTED') throw new TypeError(`a webhook's start was ${result.outcome}`);
  return { runId: result.runId };
}

/** The name of a request within its webhook: the hash of its id. A request without an id is like no other. */
const requestNameOf = (id: string | undefined): string => (id ? hashOf(id) : randomUUID());

type FoundWebhook = Pick<WebhookDocument, '_id' | 'workspaceId' | 'flowId' | 'sealedSecret'>;

const findByToken = (token: string): Promise<FoundWebhook | null> =>
  WebhookModel.findOne({ tokenHash: hashOf(token) }, { workspaceId: 1, flowId: 1, sealedSecret: 1 })
    .lean<FoundWebhook>()
    .exec();
