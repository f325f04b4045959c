import { testCuts } from './cut-runs.ts';

jest.mock('../../../support/periodic-work.ts', () => jest.requireActual('./frequent-work.ts'));

testCuts('queued and claimed', [5, 'all commands']);
