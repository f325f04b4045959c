import type { LanguageModel } from 'ai';
import { environment } from '../../../environment/environment.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { ModelLog } from './model-log.ts';

/** The bounds of an answer on the wire, where a delta of four characters takes about 250 bytes. */
const BOUNDS = { maxBytes: 16 * 1024 * 1024, maxLineBytes: 1024 * 1024, maxSilenceMs: 60_000 };

/** The library that speaks to the model, and the model. */
export interface ConfiguredModel {
  ai: typeof import('ai');
  model: LanguageModel;
  log: ModelLog;
}

/** Whether the environment names a model. */
export const isModelConfigured = environment.AGENT_BASE_URL !== undefined;

/** Loads the library, which takes 30 MB, in processes that have a model alone. */
export async function loadModel(log: ModelLog): Promise<ConfiguredModel> {
  const { AGENT_BASE_URL: baseURL = '', AGENT_MODEL = '', AGENT_API_KEY: apiKey } = environment;
  const [ai, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ]);
  globalThis.AI_SDK_LOG_WARNINGS = false; // they would go to stdout, beside the log
  const provider = createOpenAICompatible({
    name: 'model',
    baseURL,
    ...(apiKey === undefined ? {} : { apiKey }),
    includeUsage: true,
    fetch: boundedFetch(BOUNDS),
  });
  return { ai, log, model: provider.chatModel(AGENT_MODEL) };
}
