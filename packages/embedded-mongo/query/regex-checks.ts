/** Whether a group that is repeated without bound holds a repetition without bound, as (a+)+ does. */
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
 * Whether a lookbehind may look back by different lengths, which PCRE refuses: a repetition that is
 * not of a fixed number, a reference to a group, alternatives within a group of it.
 */
export function variesBehind(source: string): boolean {
  /** How deep in a lookbehind each open group is; 0 outside of one. */
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
