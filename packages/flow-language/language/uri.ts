/** The characters of RFC 6570's literals, as the DSL's own schema checks them. */
const LITERALS = /^(?:[^\s\p{Cc}"'<>%\\^`{|}]|%[0-9a-f]{2})*$/iu;

export function isUriText(text: string): boolean {
  return LITERALS.test(text);
}

/** The DSL's pattern of an expression has a `.` in it, which a line break isn't. */
export function isSingleLine(text: string): boolean {
  return !/[\n\r\u2028\u2029]/.test(text.trim());
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const PLACEHOLDER_NAME = /^[A-Za-z0-9_]+$/;

/** What is wrong with a URI template that names the target of a request; null when nothing is. */
export function faultOfUriTemplate(template: string): string | null {
  for (const [, name = ''] of template.matchAll(PLACEHOLDER)) {
    if (!PLACEHOLDER_NAME.test(name)) {
      return `"{${name}}" must be a field of the input: letters, digits and "_"`;
    }
  }
  // "1" may stand for a host, a port and a path alike.
  const filled = template.replace(PLACEHOLDER, '1');
  if (!/^https?:\/\//i.test(template) || !URL.canParse(filled)) {
    return 'it must be an absolute http:// or https:// URL';
  }
  const { username, password } = new URL(filled);
  if (username !== '' || password !== '') return 'it must not hold credentials';
  if (!isUriText(filled)) return "it has characters that a URL can't have; percent-encode them";
  return null;
}
