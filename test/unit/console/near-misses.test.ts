import { nearMisses } from '../../../console/near-misses.ts';

const KNOWN = ['OUTBOUND_ALLOW', 'PORT', 'HOST', 'issues.list', 'issues.get', 'issues.create'];

it.each([
  ['OUTBOUND_ALOW', ['OUTBOUND_ALLOW']],
  ['OUTBOUDN_ALLOW', ['OUTBOUND_ALLOW']],
  ['PROT', ['PORT']],
  ['HSOT', ['HOST']],
  ['issues.lst', ['issues.list', 'issues.get']],
  ['Issues.Get', ['issues.get']],
  ['issues.', ['issues.get', 'issues.list', 'issues.create']],
  ['PO', []],
  ['something.else', []],
])('near %s are %j', (typed, near) => {
  expect(nearMisses(typed, KNOWN)).toEqual(near);
});
