/** The forms of an answer that a client accepts. */
export interface AcceptedForms {
  json: boolean;
  /** Server-sent events. */
  stream: boolean;
}

const BOTH: AcceptedForms = { json: true, stream: true };
/** The header that most clients send, as the specification of the transport writes it. It is not parsed each time. */
const USUAL = 'application/json, text/event-stream';

/** The forms of an answer by the `Accept` header. A client without the header accepts any (RFC 9110, section 12.5.1). */
export function acceptedForms(accept: string | undefined): AcceptedForms {
  if (accept === undefined || accept === USUAL) return BOTH;
  const ranges = new Set(accept.toLowerCase().split(',').flatMap(rangeOf));
  const has = (...names: string[]) => names.some((name) => ranges.has(name));
  return {
    json: has('application/json', 'application/*', '*/*'),
    stream: has('text/event-stream', 'text/*', '*/*'),
  };
}

/** The media range of an element of the header; none for one with the weight 0. */
function rangeOf(element: string): string[] {
  const [range = '', ...parameters] = element.split(';').map((part) => part.trim());
  return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [range];
}
