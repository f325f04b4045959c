import type { ToolCall } from '../../contract/resources.ts';

/** Hears of an answer while it is made. */
export interface AnswerListener {
  onText(delta: string): void;
  onTool(call: ToolCall): void;
}

/** The listener of a request that waits for the whole answer. */
export const NO_LISTENER: AnswerListener = { onText: () => undefined, onTool: () => undefined };
