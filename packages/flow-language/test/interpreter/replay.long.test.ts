import { testReplays } from './replay-properties.ts';

testReplays(300);
