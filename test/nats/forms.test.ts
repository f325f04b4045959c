import { testAnswers } from '../helpers/forms/answer-tests.ts';
import { testDeath } from '../helpers/forms/death-tests.ts';
import { testFiles } from '../helpers/forms/file-tests.ts';
import { type FormsSystem, formsOverNats } from '../helpers/forms/system.ts';
import { testUploads } from '../helpers/forms/upload-tests.ts';

let system: FormsSystem;
beforeAll(async () => {
  system = await formsOverNats();
});
afterAll(() => system.stop());

describe('an upload', () => testUploads(() => system));
describe('a file', () => testFiles(() => system));
describe('an answer in parts', () => testAnswers(() => system));
describe('a service that dies', () => testDeath(() => system));
