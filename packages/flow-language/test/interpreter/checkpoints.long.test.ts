import { testCheckpoints } from './checkpoint-properties.ts';

testCheckpoints(1_000);
