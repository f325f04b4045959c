import { testAnswers } from '../helpers/forms/answer-tests.ts';
import { testFiles } from '../helpers/forms/file-tests.ts';
import { type FormsSystem, formsInOneProcess } from '../helpers/forms/system.ts';
import { testUploads } from '../helpers/forms/upload-tests.ts';

let system: FormsSystem;
beforeAll(async () => {
  system = await formsInOneProcess();
});
afterAll(() => system.stop());

describe('an upload', () => testUploads(() => system));
describe('a file', () => testFiles(() => system));
describe('an answer in parts', () => testAnswers(() => system));
