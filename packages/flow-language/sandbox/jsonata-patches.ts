import { ADDRESS_SEGMENTS } from './jsonata-patches/addresses.ts';
import { CODE_POINTS, INSTANTS, INTEGERS } from './jsonata-patches/built-ins.ts';
import { CALL_SITES } from './jsonata-patches/call-sites.ts';
import {
  FUNCTION_BRAND,
  NO_NATIVE_FUNCTIONS,
  OPAQUE_FUNCTIONS,
} from './jsonata-patches/functions.ts';
import type { Patch } from './jsonata-patches/patch.ts';
import {
  FROZEN_PROTOTYPES,
  FROZEN_SYNTAX_TREES,
  READ_ONLY_DATA,
} from './jsonata-patches/shared-data.ts';
import { TRANSFORM_COPIES } from './jsonata-patches/transforms.ts';

/**
 * The changes to JSONata 2.2.2. JSONata's functions are ordinary objects, whose fields expressions can read and write.
 * With the patches, functions are opaque and frozen, an evaluation writes only into values that it has made, and texts,
 * times and integers are those of `child/realm/`.
 */
export const PATCHES: readonly Patch[] = [
  FUNCTION_BRAND,
  NO_NATIVE_FUNCTIONS,
  OPAQUE_FUNCTIONS,
  CALL_SITES,
  TRANSFORM_COPIES,
  READ_ONLY_DATA,
  FROZEN_PROTOTYPES,
  FROZEN_SYNTAX_TREES,
  ADDRESS_SEGMENTS,
  INTEGERS,
  INSTANTS,
  CODE_POINTS,
].flat();
