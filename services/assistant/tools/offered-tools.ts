import type { Role } from '../../../contract/access-rule.ts';
import { isReadingTool, toolTermsOf } from '../../../contract/tool-rule.ts';
import type { Tool } from '../../../contract/tools.ts';
import { allTools } from '../../tools/tools.ts';

/** The tools of a model, by their names. */
export type Tools = ReadonlyMap<string, Tool>;

/** The tools with which a member of a role can work in one workspace. The access check decides each call. */
export const toolsOfRole = (role: Role): Tools =>
  new Map([...allTools()].filter(([, tool]) => isOpenTo(tool, role)));

function isOpenTo({ contract }: Tool, role: Role): boolean {
  const { access } = contract;
  const terms = toolTermsOf(contract);
  if (terms?.keysOnly) return false;
  if (access.who === 'member') return access.roles.includes(role);
  if (access.who !== 'authenticated') return false;
  return access.memberOf !== undefined || terms?.pure === true;
}

/** Whether the call of a tool changes nothing, so that nobody has to approve it. */
export const isReading = ({ contract }: Tool): boolean => isReadingTool(contract);
