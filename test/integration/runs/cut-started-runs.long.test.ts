import { testClaimsCut, testCuts } from './cut-runs.ts';

jest.mock('../../../support/periodic-work.ts', () => jest.requireActual('./frequent-work.ts'));

testCuts('started here', [5, 'all commands']);
testClaimsCut();
