import type { JobContext } from '@workspace-automation/flow-language';
import { CpuLedger } from './cpu-ledger.ts';
import type { Share, ShareOwner } from './share.ts';

/** What the children of this process used, whichever service asked them. */
const ledger = new CpuLedger();

export const levelOf = (owner: ShareOwner): number => ledger.levelOf(owner);
export const isCrowding = (owner: ShareOwner): boolean => ledger.isCrowding(owner);

/** On whose behalf the sandbox does a job, and who pays for it. */
export const chargedTo = ({ owner, tenant }: Share): JobContext => ({
  tenant,
  onCpu: (cpuMs) => ledger.charge(owner, cpuMs),
});
