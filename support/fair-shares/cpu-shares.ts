import type { JobContext } from '@workspace-automation/flow-language';
import { CpuLedger } from './cpu-ledger.ts';
import type { Share, ShareOwner } from './share.ts';

/** The CPU time of all sandbox children of this process, and the cost of its engine's work. */
const ledger = new CpuLedger();

export const levelOf = (owner: ShareOwner): number => ledger.levelOf(owner);
export const isCrowding = (owner: ShareOwner): boolean => ledger.isCrowding(owner);

export const isLighterOwnerActive = (owner: ShareOwner): boolean =>
  ledger.isLighterOwnerActive(owner);

/** Charges an owner for work of this process, in milliseconds of CPU time. */
export const chargeOwner = (owner: ShareOwner, cpuMs: number): void => ledger.charge(owner, cpuMs);

/** The context of a sandbox job: the job's tenant, and a callback that charges the owner for CPU time. */
export const jobContextOf = ({ owner, tenant }: Share): JobContext => ({
  tenant,
  onCpu: (cpuMs) => ledger.charge(owner, cpuMs),
});
