/**
 * The shapes of secrets in any text. Each pattern takes linear time on hostile text: it has no open repetition before
 * a part that can fail, or it can begin only at the start of a run of its characters.
 */

/** A range of a text that looks like a secret. */
export interface Finding {
  start: number;
  end: number;
  code: 'SECRET_IN_URL' | 'SECRET_IN_TEXT';
}

interface Shape {
  code: Finding['code'];
  pattern: RegExp;
  /** Decides by the groups of a match. */
  isSecret?: (match: RegExpExecArray) => boolean;
}

/** Names of query parameters with a secret. */
export const SECRET_PARAMETER =
  /^(?:api[-_]?key|key|access[-_]?key|(?:access|refresh|id|auth|session)[-_]?token|token|(?:client[-_]?)?secret|password|passwd|pwd|sig|signature|x-amz-(?:signature|security-token))$/i;

/** Characters from which a literal value counts as a secret. A shorter value is more likely a plain word. */
export const MIN_SECRET_LENGTH = 6;
/** Characters of a token without digits from which the token is no plain word. */
const LONGEST_WORD = 20;
/** Characters of a Basic header that are decoded. */
const MAX_BASIC = 4_096;

const SHAPES: readonly Shape[] = [
  {
    code: 'SECRET_IN_TEXT',
    pattern: /\bbearer[ \t]{1,8}([\w.~+/-]{8,})/gi,
    isSecret: ([, token = '']) => hasDigit(token) || token.length > LONGEST_WORD,
  },
  {
    code: 'SECRET_IN_TEXT',
    pattern: /\bbasic[ \t]{1,8}([\w+/-]{6,}={0,2})/gi,
    isSecret: ([, credentials = '']) => isNameAndPassword(credentials),
  },
  { code: 'SECRET_IN_TEXT', pattern: /wsk_[\dA-Za-z]{38}/g },
  { code: 'SECRET_IN_TEXT', pattern: /whsec_[\w+/-]{24,}/g },
  {
    code: 'SECRET_IN_TEXT',
    pattern: /(?<![\dA-Za-z])sk-[\w-]{20,}/g,
    isSecret: ([key]) => hasDigit(key),
  },
  { code: 'SECRET_IN_TEXT', pattern: /gh[opsur]_[\dA-Za-z]{20,}/g },
  { code: 'SECRET_IN_TEXT', pattern: /github_pat_\w{20,}/g },
  { code: 'SECRET_IN_TEXT', pattern: /xox[a-z]-[\dA-Za-z-]{10,}/g },
  { code: 'SECRET_IN_TEXT', pattern: /(?<![\dA-Za-z])A(?:KIA|SIA)[\dA-Z]{16}/g },
  // A JSON Web Token begins with two objects in base64url.
  { code: 'SECRET_IN_TEXT', pattern: /(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{2,}\.[\w-]*/g },
  { code: 'SECRET_IN_TEXT', pattern: /-----BEGIN [\dA-Z ]{0,40}PRIVATE KEY-----/g },
  {
    code: 'SECRET_IN_URL',
    pattern: /[?&]([\w-]{2,40})=([^\s&#"'`<>{}$\\]{6,})/g,
    isSecret: ([, name = '']) => SECRET_PARAMETER.test(name),
  },
  {
    code: 'SECRET_IN_URL',
    pattern: /:\/\/([^\s/?#@"'`<>{}$\\]{1,512})@/g,
    isSecret: ([, userinfo = '']) => /:./.test(userinfo) || userinfo.length > LONGEST_WORD,
  },
];

/** Findings of one pattern in one text. Later findings are dropped. */
const MAX_FINDINGS = 1_000;

export function findSecrets(text: string): Finding[] {
  return SHAPES.flatMap(({ code, pattern, isSecret }) => {
    const found: Finding[] = [];
    for (const match of text.matchAll(pattern)) {
      if (isSecret && !isSecret(match)) continue;
      found.push({ start: match.index, end: match.index + match[0].length, code });
      if (found.length === MAX_FINDINGS) break;
    }
    return found;
  });
}

const hasDigit = (text: string): boolean => /\d/.test(text);

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Tells whether a text is base64 of `name:password`. The word after "basic" in prose decodes to other bytes. */
function isNameAndPassword(text: string): boolean {
  try {
    const decoded = strictUtf8.decode(Buffer.from(text.slice(0, MAX_BASIC), 'base64'));
    return decoded.includes(':') && !/\p{Cc}/u.test(decoded);
  } catch {
    return false;
  }
}
