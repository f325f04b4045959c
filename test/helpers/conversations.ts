import type { Refusable, Result } from '../fixtures/e2e.ts';
import type { Answer } from './http.ts';
import type { ModelAnswer } from './model-server/model-answer.ts';
import type { ModelServer, Script } from './model-server/model-server.ts';
import type { Person } from './people.ts';

export interface ToolCall {
  id: number;
  operation: string;
  arguments: Record<string, unknown>;
  status: string;
  result: Record<string, unknown> | null;
  decidedBy: { type: string; id: number } | null;
  decidedAt: string | null;
}

export type Message = Result<'assistant.sendMessage'>;

/** A conversation whose model follows a script. */
export interface ScriptedConversation {
  id: number;
  script: Script;
  say(text: string): Promise<Answer<Refusable<Message>>>;
  approve(
    messageId: number,
    decisions: { toolCallId: number; approve: boolean }[],
    by?: Person,
  ): Promise<Answer<Refusable<Message>>>;
  messages(): Promise<Message[]>;
}

/** Begins a conversation in which the model gives these answers. */
export async function beginConversation(
  person: Person,
  workspaceId: number,
  model: ModelServer,
  ...answers: ModelAnswer[]
): Promise<ScriptedConversation> {
  const script = await model.script(...answers);
  const { body, status } = await person.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId },
  });
  if (status !== 201) throw new Error(`beginning a conversation answered ${status}`);
  const path = `/agent/conversations/${body.id}`;
  return {
    id: body.id,
    script,
    say: (text) =>
      person.call('POST', `${path}/messages`, { body: { content: `${text} ${script.mark}` } }),
    approve: (messageId, decisions, by = person) =>
      by.call('POST', `${path}/messages/${messageId}/approve`, { body: { decisions } }),
    async messages() {
      const answer = await person.call<{ messages: Message[] }>('GET', path);
      if (answer.status !== 200)
        throw new Error(`reading a conversation answered ${answer.status}`);
      return answer.body.messages;
    },
  };
}
