import type { Patch } from './patch.ts';

/** Passes the place of a call as an argument of the call, instead of writing the place into the function. */
export const CALL_SITES: readonly Patch[] = [
  {
    find: `            if(typeof proc === 'object') {
                proc.token = procName;
                proc.position = expr.position;
            }
            result = await apply(proc, evaluatedArgs, input, environment);`,
    replace: `            result = await apply(proc, evaluatedArgs, input, environment, {
                token: procName,
                position: expr.position
            });`,
  },
  {
    find: `    async function apply(proc, args, input, environment) {
        var result;
        result = await applyInner(proc, args, input, environment);`,
    replace: `    async function apply(proc, args, input, environment, site) {
        var result;
        result = await applyInner(proc, args, input, environment, site);`,
  },
  {
    find: `            if(result.body.procedure.type === 'variable') {
                next.token = result.body.procedure.value;
            }
            next.position = result.body.procedure.position;`,
    replace: `            var nextSite = {position: result.body.procedure.position};
            if(result.body.procedure.type === 'variable') {
                nextSite.token = result.body.procedure.value;
            }`,
  },
  {
    find: `            result = await applyInner(next, evaluatedArgs, input, environment);`,
    replace: `            result = await applyInner(next, evaluatedArgs, input, environment, nextSite);`,
  },
  {
    find: `    async function applyInner(proc, args, input, environment) {`,
    replace: `    async function applyInner(proc, args, input, environment, site) {`,
  },
  {
    find: `            if(proc) {
                if (typeof err.token == 'undefined' && typeof proc.token !== 'undefined') {
                    err.token = proc.token;
                }
                err.position = proc.position || err.position;
            }`,
    replace: `            if(proc && site && !proc.isCallback) {
                if (typeof err.token == 'undefined' && typeof site.token !== 'undefined') {
                    err.token = site.token;
                }
                err.position = site.position || err.position;
            }`,
  },
];
