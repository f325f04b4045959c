import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file of the reference, which the image of the service has as well. */
export const FLOW_LANGUAGE_FILE = join(import.meta.dirname, '../../../../docs/flow-language.md');

/** The reference of the language of flow files, which a model reads before it writes one. */
export const FLOW_LANGUAGE = {
  uri: 'flow-language://reference',
  name: 'flow-language',
  title: 'The flow language',
  description: 'The reference of the language of flow files, with examples',
  mimeType: 'text/markdown',
} as const;

export const readFlowLanguage = (): Promise<string> => readFile(FLOW_LANGUAGE_FILE, 'utf8');
