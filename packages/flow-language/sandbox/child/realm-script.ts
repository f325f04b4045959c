import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import type { RealmSource } from '../protocol.ts';

/** Returns a script that makes an `Evaluator` in each context in which the script runs. */
export function realmScript({ jsonata, evaluator }: RealmSource): Script {
  const text = `(function () {
'use strict';
const jsonata = (function (window) {
const module = { exports: {} };
const exports = module.exports;
${jsonata}
return module.exports;
})({ btoa: encodeText, atob: decodeText });
${stripTypeScriptTypes(evaluator)}
return createEvaluator();
})()`;
  return new Script(text, { filename: 'realm' });
}
