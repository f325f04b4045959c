import { type CallTurn, charsOf, type Turn } from './turns.ts';

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
  let excess = charsOf(turns) - maxChars;
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
  while (excess > 0 && omittedTurns < latest)
    excess -= charsOf(kept.slice(omittedTurns, ++omittedTurns));
  // A step without the message that it answers would say nothing.
  if (omittedTurns > 0) {
    while (omittedTurns < latest && kept[omittedTurns]?.kind === 'step') omittedTurns++;
  }
  const rest = kept.slice(omittedTurns);
  const marked = omittedTurns > 0 ? [OMISSION, ...rest] : rest;
  return { turns: marked, shortenedResults, omittedTurns };
}

/** Stands for the turns that are left out. */
export const OMISSION: Turn = {
  kind: 'person',
  text: '[The beginning of this conversation is left out, because the conversation is long.]',
};

const shortened = ({ name }: CallTurn): string =>
  JSON.stringify({
    shortened: `The result of ${name} is left out, because the conversation is long. Call the tool again if the result is needed.`,
  });
