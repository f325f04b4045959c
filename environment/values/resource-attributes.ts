/**
 * Reads `OTEL_RESOURCE_ATTRIBUTES`: `name=value` pairs, comma separated, values percent-encoded as in W3C Baggage.
 * Returns null for any other text.
 */
export function readResourceAttributes(text: string): Record<string, string> | null {
  const pairs = text.split(',').map((pair) => pair.trim());
  try {
    return Object.fromEntries(pairs.filter(Boolean).map(readPair));
  } catch {
    return null; // an item without `=` or without a name, or an invalid percent encoding
  }
}

function readPair(pair: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
  if (!name) throw new TypeError('no name');
  return [name.trim(), decodeURIComponent(value.trim())];
}
