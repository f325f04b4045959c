/** The media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

/** How much a header `Accept` wants a media type: its weight, and whether it names the type or a range with the type. */
interface Preference {
  weight: number;
  isNamed: boolean;
}

/**
 * Whether the header `Accept` wants server-sent events rather than JSON (RFC 9110, section 12.5.1). Of two types that
 * it wants alike, one that it names goes before one that it has in a range; JSON goes before events otherwise.
 */
export function prefersEvents(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const [events, json] = [
    preferenceFor(accept, EVENT_STREAM),
    preferenceFor(accept, 'application/json'),
  ];
  if (events.weight !== json.weight) return events.weight > json.weight;
  return events.weight > 0 && events.isNamed && !json.isNamed;
}

function preferenceFor(accept: string, type: string): Preference {
  const ranges = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  const wanted = accept.split(',').map(readRange);
  for (const range of ranges) {
    const found = wanted.find(({ name }) => name === range);
    if (found) return { weight: found.weight, isNamed: range === type };
  }
  return { weight: 0, isNamed: false };
}

function readRange(text: string): { name: string; weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { name, weight: WEIGHT.test(weight) ? Number(weight) : 0 };
}

/** A weight (RFC 9110, section 12.4.2). */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
