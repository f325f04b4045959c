import { requestStreamOf } from '@workspace-automation/moleculer-nats';
import type { ServiceSchema } from 'moleculer';
import { actorOf } from '../../contract/caller.ts';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { Sweep } from '../../mixins/sweep.ts';
import { AttachmentModel } from '../../models/attachment.model.ts';
import { AttachmentChunkModel } from '../../models/attachment-chunk.model.ts';
import { AttachmentFileModel } from '../../models/attachment-file.model.ts';
import { AttachmentUploadModel } from '../../models/attachment-upload.model.ts';
import { AttachmentUsageModel } from '../../models/attachment-usage.model.ts';
import { ConversationModel } from '../../models/conversation.model.ts';
import { MessageModel } from '../../models/message.model.ts';
import { IDLE_FACTOR } from '../../support/activity.ts';
import { implement, on } from '../contracts.ts';
import { userVerified } from '../identity/identity.events.ts';
import { processStopping } from '../process/process.events.ts';
import { answerAsWanted } from './answering/delivery/answer-as-wanted.ts';
import { Answers } from './answering/answers.ts';
import { expireCalls } from './approvals/expire-calls.ts';
import { attachments, findAttachment } from './attachments/attachments.store.ts';
import { readFile } from './attachments/file-store.ts';
import { removeAttachment, removeAttachmentData } from './attachments/remove-attachment.ts';
import { fileAnswerOf } from './attachments/show-attachment.ts';
import { eraseUploads, sweepUploads } from './attachments/sweep-uploads.ts';
import { uploadAttachment } from './attachments/upload-attachment.ts';
import { assistantContract } from './assistant.contract.ts';
import { conversations } from './conversations/conversations.store.ts';
import { createConversation } from './conversations/create-conversation.ts';
import { getConversation } from './conversations/get-conversation.ts';
import { listConversations } from './conversations/list-conversations.ts';
import { removeConversation, removeParts } from './conversations/remove-conversation.ts';
import { recoverAnswers } from './messages/recover-answer.ts';

/** Milliseconds between two looks for answers and uploads whose processes ended, and for calls that nobody has approved in time. */
const SWEEP_EVERY_MS = 5_000;
/** Milliseconds for which a stopping process goes on with its answers. Then it ends them, and tells their readers. */
const STOP_GRACE_MS = 2_500;

const MODELS = [
  ConversationModel,
  MessageModel,
  AttachmentModel,
  AttachmentFileModel,
  AttachmentChunkModel,
  AttachmentUploadModel,
  AttachmentUsageModel,
];

/** The assistant: conversations with a model that calls the operations of the service. */
export function assistantService(): ServiceSchema {
  const erasures = erasuresOf('assistant', MODELS, () => ({
    hooks: { attachment_uploads: eraseUploads },
  }));
  let answers: Answers;
  return {
    name: 'assistant',
    mixins: [
      erasures.mixin,
      Changes(conversations, attachments),
      Sweep(SWEEP_EVERY_MS, expireCalls, IDLE_FACTOR),
      Sweep(SWEEP_EVERY_MS, recoverAnswers, IDLE_FACTOR),
      Sweep(SWEEP_EVERY_MS, sweepUploads, IDLE_FACTOR),
    ],
    actions: implement(
      assistantContract,
      {
        ...erasures.handlers,
        createConversation: (ctx) => createConversation(ctx.params, changeOf(ctx)),
        listConversations: ({ params, meta }) => listConversations(params, actorOf(meta.caller)),
        getConversation: ({ locals }) => getConversation(locals.resource),
        removeConversation: (ctx) => removeConversation(ctx.locals.resource, changeOf(ctx)),
        sendMessage: (ctx) => answerAsWanted(ctx, (listener) => answers.send(ctx, listener)),
        approve: (ctx) => answerAsWanted(ctx, (listener) => answers.approve(ctx, listener)),
        answerPrompt: (ctx) => answers.answerPrompt(ctx),
        uploadAttachment: (ctx) =>
          uploadAttachment(
            ctx.locals.resource,
            { fileName: ctx.params.fileName, stream: requestStreamOf(ctx) },
            changeOf(ctx),
          ),
        getAttachment: ({ locals: { resource, byteRange } }) =>
          byteRange ? readFile(resource._id, byteRange) : fileAnswerOf(resource),
        removeAttachment: (ctx) => removeAttachment(ctx.locals.resource, changeOf(ctx)),
        removeAttachmentData: ({ params }) => removeAttachmentData(params),
        removeParts: ({ params }) => removeParts(params),
      },
      { conversation: conversations.find, attachment: findAttachment },
    ),
    events: {
      ...on(userVerified, () => answers.owners.drop()),
      ...on(processStopping, ({ nodeID, broker }) => {
        if (nodeID === broker.nodeID) setTimeout(() => answers.interrupt(), STOP_GRACE_MS);
      }),
    },
    created() {
      answers = new Answers(this.broker);
    },
  };
}
