import { testClaimsCut, testCuts } from './cut-runs.ts';

jest.mock('../../../support/periodic-work.ts', () => jest.requireActual('./frequent-work.ts'));

testCuts('started here', [1, 'writes of runs'], [5, 'writes of runs']);
testCuts('queued and claimed', [1, 'writes of runs'], [5, 'writes of runs']);
testClaimsCut();
