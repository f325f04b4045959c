/** Matches the characters of literals in RFC 6570, as the DSL's own schema checks them. */
const LITERALS = /^(?:[^\s\p{Cc}"'<>%\\^`{|}]|%[0-9a-f]{2})*$/iu;

export function isUriText(text: string): boolean {
  return LITERALS.test(text);
}

/** Tells whether a text is on one line, because the DSL's pattern of an expression matches no line breaks. */
export function isSingleLine(text: string): boolean {
  return !/[\n\r\u2028\u2029]/.test(text.trim());
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const PLACEHOLDER_NAME = /^[A-Za-z0-9_]+$/;

/** Returns the fault of a URI template for the target of a request; null when it has none. */
export function faultOfUriTemplate(template: string): string | null {
  if (/\{\{/.test(template)) return 'write {name} with single braces for a field of the input';
  for (const [, name = ''] of template.matchAll(PLACEHOLDER)) {
    if (!PLACEHOLDER_NAME.test(name)) {
      return `"{${name}}" must be a top-level field of the input: letters, digits and "_"; for anything else write one expression, such as \${ "https://a.test/" & $.a.b }`;
    }
  }
  // "1" is valid as a host, as a port and in a path.
  const filled = template.replace(PLACEHOLDER, '1');
  if (!/^https?:\/\//i.test(template) || !URL.canParse(filled)) {
    return 'it must be an absolute http:// or https:// URL';
  }
  const { username, password } = new URL(filled);
  if (username !== '' || password !== '') return 'it must not hold credentials';
  if (!isUriText(filled)) return "it has characters that a URL can't have; percent-encode them";
  return null;
}
