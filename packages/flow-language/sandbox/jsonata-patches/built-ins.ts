import type { Patch } from './patch.ts';

/** Adds `$integer`. The transform operator copies its integers as text, because parsing would make other numbers of them. */
export const INTEGERS: readonly Patch[] = [
  {
    find: `    staticFrame.bind('floor', `,
    replace: `    staticFrame.bind('integer', defineFunction(toInteger, '<(sn)-:x>'));
    staticFrame.bind('floor', `,
  },
  {
    find: `    function string(arg, prettify = false) {`,
    replace: `    function string(arg, prettify = false, isCopy = false) {`,
  },
  {
    find: `                return val && isFunction(val) ? '' : val;`,
    replace: `                if(isCopy && isInteger(val)) return val.rawJSON;
                return val && isFunction(val) ? '' : val;`,
  },
  {
    find: `        return JSON.parse(fn.string(arg));`,
    replace: `        return JSON.parse(fn.string(arg, false, true));`,
  },
];
