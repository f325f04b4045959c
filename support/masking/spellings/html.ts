const QUOTES = ['"', '&quot;', '&#34;', '&#x22;'];
const APOSTROPHES = ["'", '&#39;', '&#039;', '&#x27;', '&apos;'];

/** The spellings of a text in HTML and XML. */
export function htmlSpellings(text: string): string[] {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return QUOTES.flatMap((quote) =>
    APOSTROPHES.map((apostrophe) => escaped.replaceAll('"', quote).replaceAll("'", apostrophe)),
  );
}
