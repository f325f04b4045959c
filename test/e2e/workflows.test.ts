import { stopServers } from '../helpers/server.ts';

/** The tests of this area use the shared server. */
afterAll(stopServers);

describe('workflows', () => void require('./workflows/workflows.ts'));
describe('published steps', () => void require('./workflows/steps.ts'));
describe('the text of published steps', () => void require('./workflows/text.ts'));
