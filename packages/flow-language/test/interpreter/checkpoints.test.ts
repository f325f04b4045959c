import { testCheckpoints } from './checkpoint-properties.ts';

testCheckpoints(20);
