/** A tool call of the model and what became of it, as the model is told. */
export interface CallTurn {
  id: string;
  /** The name of the tool as the model is offered it. */
  name: string;
  arguments: unknown;
  /** The outcome as JSON text. */
  outcome: string;
}

/** A file of a message that the model is shown. */
export interface ImagePart {
  mediaType: string;
  bytes: Uint8Array;
}

/** A part of a conversation as the model is sent it: what a person has said, or one step of the model. */
export type Turn =
  | { kind: 'person'; text: string; images?: readonly ImagePart[] }
  | { kind: 'step'; text: string; calls: readonly CallTurn[] };

/** Characters that an image counts for: about the tokens of a large one. */
const IMAGE_CHARS = 6_000;

/** About the characters of turns as the model is sent them. */
export const charsOf = (turns: readonly Turn[]): number =>
  turns.reduce((sum, turn) => sum + charsOfTurn(turn), 0);

function charsOfTurn(turn: Turn): number {
  if (turn.kind === 'person') return turn.text.length + (turn.images?.length ?? 0) * IMAGE_CHARS;
  return turn.calls.reduce(
    (sum, call) => sum + JSON.stringify(call.arguments).length + call.outcome.length,
    turn.text.length,
  );
}
