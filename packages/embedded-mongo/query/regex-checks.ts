/** Tells whether a group with an unbounded repetition contains an unbounded repetition, such as (a+)+. */
export function repeatsRepeats(source: string): boolean {
  const unbounded = /^(?:[*+]|\{\d+,\})/;
  const groups = [false];
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (c === '\\') i++;
    else if (c === '[') {
      for (i++; i < source.length && source[i] !== ']'; i++) if (source[i] === '\\') i++;
    } else if (c === '(') groups.push(false);
    else if (c === ')') {
      const inner = groups.pop() ?? false;
      const repeated = unbounded.test(source.slice(i + 1));
      if (inner && repeated) return true;
      if (inner) groups[groups.length - 1] = true;
    } else if (unbounded.test(source.slice(i))) groups[groups.length - 1] = true;
  }
  return false;
}

/**
 * Tells whether a lookbehind has no fixed length, which PCRE refuses: it has a repetition without a fixed number, a
 * reference to a group, or alternatives in a group.
 */
export function variesBehind(source: string): boolean {
  /** The depth of each open group in a lookbehind; 0 outside a lookbehind. */
  const groups = [0];
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    const depth = groups.at(-1) as number;
    if (c === '\\') {
      i++;
      if (depth > 0 && /[1-9k]/.test(source[i] ?? '')) return true;
    } else if (c === '[') {
      for (i++; i < source.length && source[i] !== ']'; i++) if (source[i] === '\\') i++;
    } else if (c === '(') {
      const opening = /^\((?:\?(?:<?[=!]|:|<\w+>))?/.exec(source.slice(i))?.[0] ?? c;
      groups.push(
        depth > 0 || opening.startsWith('(?<=') || opening.startsWith('(?<!') ? depth + 1 : 0,
      );
      i += opening.length - 1;
    } else if (c === ')') groups.pop();
    else if (depth > 0 && /^(?:[*+?]|\{\d+,)/.test(source.slice(i))) return true;
    else if (depth > 1 && c === '|') return true;
  }
  return false;
}
