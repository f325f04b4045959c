/**
 * Replaces the process's `JSON.parse` by one that reads escaped keys right (`docs/decisions/json-keys.md`). Each process
 * that parses texts of users imports this module first, so that no dependency keeps the native function.
 */
import { installJsonParse } from '@workspace-automation/flow-language/json-parse';

installJsonParse();
