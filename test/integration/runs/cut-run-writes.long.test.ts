import { testClaimsCut, testCuts } from './cut-runs.ts';

jest.mock('../../../services/runs/engine/periodic-work.ts', () =>
  jest.requireActual('./frequent-work.ts'),
);

testCuts(1, 'writes of runs');
testCuts(5, 'writes of runs');
testClaimsCut();
