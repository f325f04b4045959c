import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('steps', () => void require('./dev-mode/steps.ts'));
describe('bad input', () => void require('./dev-mode/bad-input.ts'));
describe('concurrent edits', () => void require('./dev-mode/concurrent-edits.ts'));
describe('publish', () => void require('./dev-mode/publish.ts'));
describe('ends of branches', () => void require('./dev-mode/ends.ts'));
