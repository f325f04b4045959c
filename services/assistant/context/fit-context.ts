import type { CallTurn, Turn } from './turns.ts';

/** Characters that an image counts for: about the tokens of a large one. */
const IMAGE_CHARS = 6_000;
/** Characters of an outcome below which its omission would make no room. */
const SHORT_OUTCOME_CHARS = 300;

interface FittedContext {
  turns: Turn[];
  /** The number of results that are shortened. */
  shortenedResults: number;
  /** The number of the oldest turns that are left out. */
  omittedTurns: number;
}

/**
 * Shortens a conversation to a number of characters: the oldest results of tools first, then the oldest turns. What is
 * missing is marked, so that the model knows. The latest message of the person and what follows it stay.
 */
export function fitContext(turns: readonly Turn[], maxChars: number): FittedContext {
  let excess = turns.reduce((sum, turn) => sum + charsOf(turn), 0) - maxChars;
  let shortenedResults = 0;
  const latest = turns.findLastIndex(({ kind }) => kind === 'person');
  const shorten = (call: CallTurn): CallTurn => {
    if (excess <= 0 || call.outcome.length <= SHORT_OUTCOME_CHARS) return call;
    const outcome = shortened(call);
    excess -= call.outcome.length - outcome.length;
    shortenedResults++;
    return { ...call, outcome };
  };
  const kept = turns.map((turn) =>
    turn.kind === 'step' ? { ...turn, calls: turn.calls.map(shorten) } : turn,
  );
  let omittedTurns = 0;
  while (excess > 0 && omittedTurns < latest) excess -= charsOf(kept[omittedTurns++] as Turn);
  // A step without the message that it answers would say nothing.
  if (omittedTurns > 0) {
    while (omittedTurns < latest && kept[omittedTurns]?.kind === 'step') omittedTurns++;
  }
  const rest = kept.slice(omittedTurns);
  const marked = omittedTurns > 0 ? [OMISSION, ...rest] : rest;
  return { turns: marked, shortenedResults, omittedTurns };
}

const OMISSION: Turn = {
  kind: 'person',
  text: '[The beginning of this conversation is left out, because the conversation is long.]',
};

const shortened = ({ name }: CallTurn): string =>
  JSON.stringify({
    shortened: `The result of ${name} is left out, because the conversation is long. Call the tool again if the result is needed.`,
  });

function charsOf(turn: Turn): number {
  if (turn.kind === 'person') return turn.text.length + (turn.images?.length ?? 0) * IMAGE_CHARS;
  return turn.calls.reduce(
    (sum, call) => sum + JSON.stringify(call.arguments).length + call.outcome.length,
    turn.text.length,
  );
}
