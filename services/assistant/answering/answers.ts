import type { Readable } from 'node:stream';
import type { Json } from '@workspace-automation/flow-language';
import type { Service } from 'moleculer';
import { actorOf } from '../../../contract/caller.ts';
import { Forbidden, isProblem, Problem } from '../../../contract/problem.ts';
import { TooManyWaiting } from '../../../contract/quota.ts';
import { nextId } from '../../../mixins/database/ids.ts';
import { decideCalls } from '../approvals/decide-calls.ts';
import { notConfigured } from '../assistant.problems.ts';
import type { PromptAnswer } from '../contract/prompt-answer.ts';
import type { Message } from '../contract/resources.ts';
import { assertAttached } from '../context/assert-attached.ts';
import { ImageMemory } from '../context/image-memory.ts';
import type { StoredConversation } from '../conversations/conversations.store.ts';
import type { Ctx, Params } from '../../contracts.ts';
import { createShareOwners } from '../../share-owners/create-share-owners.ts';
import type { ShareOwners } from '../../share-owners/share-owners.ts';
import { type BegunAnswer, beginAnswer } from '../messages/begin-answer.ts';
import { findAnswer } from '../messages/find-answer.ts';
import { type ConfiguredModel, isModelConfigured, loadModel } from '../model/language-model.ts';
import { ModelLog } from '../model/model-log.ts';
import { answerPrompt } from '../prompts/answer-prompt.ts';
import { streamAnswer } from '../prompts/answer-stream.ts';
import { promptTools } from '../prompts/prompt-tools.ts';
import { makeAnswer } from './answer.ts';
import type { AnswerListener } from './delivery/answer-listener.ts';
import { AnswerQueue } from './answer-queue.ts';
import { MAX_ANSWER_MS } from './limits.ts';
import { AnswerTime } from './time-left.ts';

/** An answer that has begun: what refuses a request was found before. */
export interface RunningAnswer {
  message: Promise<Message>;
}

type Request<P> = Ctx<P> & { locals: { resource: StoredConversation } };

/**
 * Makes a refusal of the queue the end of a prompt. As an outage it would interrupt the whole run, whose other prompts
 * would be asked again, and refused again.
 */
function asLimit(error: unknown): PromptAnswer {
  if (!isProblem(error, TooManyWaiting)) throw error;
  return { ok: false, code: 'AGENT_LIMIT', detail: error.message, transcript: [] };
}

/** The answers of a process. */
export class Answers {
  readonly owners: ShareOwners;
  readonly #broker: Service['broker'];
  readonly #queue: AnswerQueue;
  readonly #model: Promise<ConfiguredModel> | null;
  readonly #images = new ImageMemory();
  readonly #underWay = new Set<AnswerTime>();
  #isStopping = false;

  constructor(broker: Service['broker']) {
    this.#broker = broker;
    this.owners = createShareOwners(broker, 'assistant');
    this.#queue = new AnswerQueue(this.owners);
    this.#model = isModelConfigured ? loadModel(new ModelLog(broker.logger)) : null;
    this.#model?.catch((error) =>
      broker.logger.fatal({ err: error }, 'The model cannot be loaded'),
    );
  }

  /** Stores a person's message and begins its answer. */
  async send(
    ctx: Request<Params<'assistant.sendMessage'>>,
    listener: AnswerListener,
  ): Promise<RunningAnswer> {
    const { locals, params } = ctx;
    const { reservedId, resource } = locals;
    if (reservedId !== undefined) {
      const earlier = await findAnswer(resource, { _id: reservedId });
      if (earlier) return { message: Promise.resolve(earlier) };
    }
    const answerId = reservedId ?? (await nextId('messages'));
    const { content, attachmentIds = [] } = params;
    await assertAttached(resource._id, attachmentIds);
    const message = { content, attachmentIds, answerId };
    return this.#run(ctx, listener, () => beginAnswer(resource, message, this.#broker));
  }

  /** Stores decisions on calls and goes on with their answer. */
  async approve(
    ctx: Request<Params<'assistant.approve'>>,
    listener: AnswerListener,
  ): Promise<RunningAnswer> {
    const { params, meta, locals } = ctx;
    const { reservedId: approvalId, resource } = locals;
    const { id: conversationId, messageId, decisions } = params;
    if (approvalId !== undefined) {
      const earlier = await findAnswer(resource, { _id: messageId, approvalIds: approvalId });
      if (earlier) return { message: Promise.resolve(earlier) };
    }
    const decided = { conversationId, messageId, decisions, approvalId };
    return this.#run(ctx, listener, () => decideCalls(decided, meta.caller, this.#broker));
  }

  /** Begins the answer to the prompt of a flow, which comes as a stream. Throws 503 without a model, and 400 for wrong tools. */
  async answerPrompt(ctx: Ctx<Params<'assistant.answerPrompt'>>): Promise<Readable> {
    if (!this.#model) throw notConfigured();
    const { params, meta, requestID } = ctx;
    const { workspaceId, prompt, schema } = params;
    const tools = promptTools(params.tools);
    const model = await this.#model;
    const broker = this.#broker;
    const setting = { broker, model, workspaceId, prompt, schema: schema as Json, tools };
    const { caller } = meta;
    if (caller.kind !== 'run') throw new Problem(Forbidden, 'Only a run may do this.');
    const asked = { caller, requestId: requestID ?? undefined };
    return streamAnswer((closed) =>
      this.#queue
        .runPrompt(
          caller,
          (share) =>
            this.#inTime((time) => {
              closed.addEventListener('abort', () => time.interrupt('lost'));
              if (closed.aborted) time.interrupt('lost');
              return answerPrompt({ ...setting, ...asked, share, time });
            }),
          closed,
        )
        .catch(asLimit),
    );
  }

  /** Ends the answers under way, each with what there is of it. */
  interrupt(): void {
    this.#isStopping = true;
    for (const time of this.#underWay) time.interrupt('stopping');
  }

  async #run(
    ctx: Request<unknown>,
    listener: AnswerListener,
    begin: () => Promise<BegunAnswer>,
  ): Promise<RunningAnswer> {
    if (!this.#model) throw notConfigured();
    const model = await this.#model;
    const { meta, locals, requestID: requestId } = ctx;
    const { caller, client } = meta;
    const { role, resource } = locals;
    if (!role) throw new Problem(Forbidden, 'Only a member of the workspace may do this.');
    const { workspaceId } = resource;
    const begun = Promise.withResolvers<BegunAnswer>();
    const message = this.#queue.run(workspaceId, caller, async () => {
      const answer = await begin();
      begun.resolve(answer);
      const broker = this.#broker;
      const setting = { broker, model, workspaceId, caller, role, client, listener };
      return this.#inTime((time) =>
        makeAnswer(answer, {
          ...setting,
          time,
          images: this.#images.roomOfAnswer(),
          creator: actorOf(caller),
          requestId: requestId ?? undefined,
        }),
      );
    });
    message.catch(begun.reject);
    await begun.promise;
    return { message };
  }

  /** Does the work of an answer in the time that it may take, and until the process stops. */
  async #inTime<T>(work: (time: AnswerTime) => Promise<T>): Promise<T> {
    const time = new AnswerTime(MAX_ANSWER_MS);
    this.#underWay.add(time);
    if (this.#isStopping) time.interrupt('stopping');
    try {
      return await work(time);
    } finally {
      time.stop();
      this.#underWay.delete(time);
    }
  }
}
