import { Problem, problemType } from '../../contract/problem.ts';

export const AgentNotConfigured = problemType(
  'AGENT_NOT_CONFIGURED',
  503,
  'The assistant has no model',
);
export const ConversationBusy = problemType(
  'CONVERSATION_BUSY',
  409,
  'An answer of the conversation is under way',
);
export const ConversationFull = problemType(
  'CONVERSATION_FULL',
  409,
  'The conversation has no room for messages',
);
export const ToolCallDecided = problemType(
  'TOOL_CALL_DECIDED',
  409,
  'The tool call is decided already',
);
export const ToolCallExpired = problemType(
  'TOOL_CALL_EXPIRED',
  409,
  'The tool call has waited too long for its approval',
);

/** Seconds after which a client may try again while an answer is under way. */
const BUSY_SECONDS = 2;

export const notConfigured = (): Problem =>
  new Problem(
    AgentNotConfigured,
    'The assistant has no model: whoever operates the service sets AGENT_BASE_URL and AGENT_MODEL.',
  );

export const conversationBusy = (): Problem =>
  new Problem(ConversationBusy, 'The model answers this conversation at the moment.', {
    retryAfter: BUSY_SECONDS,
  });
