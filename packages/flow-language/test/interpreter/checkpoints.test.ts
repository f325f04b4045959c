import { testCheckpoints } from './checkpoint-properties.ts';

testCheckpoints(100);
