/**
 * Operations that have no effect on results: waits (everything here is finished when the next instruction starts), hints to
 * the scheduler and the instruction fetch, caches (there are none), priorities and tracing.
 */
import { named, type Operation, type OperationTable } from './operation.js';

const nothing: Operation = (site) => site.step(() => {});

export const scheduling: OperationTable = named(
  nothing,
  's_nop',
  's_sleep',
  's_wakeup',
  's_setprio',
  's_waitcnt',
  's_waitcnt_vmcnt',
  's_waitcnt_vscnt',
  's_waitcnt_expcnt',
  's_waitcnt_lgkmcnt',
  's_waitcnt_depctr',
  's_wait_idle',
  's_wait_event',
  's_clause',
  's_delay_alu',
  's_inst_prefetch',
  's_set_inst_prefetch_distance',
  's_version',
  's_incperflevel',
  's_decperflevel',
  's_ttracedata',
  's_ttracedata_imm',
  's_icache_inv',
  's_dcache_inv',
  's_dcache_inv_vol',
  's_dcache_wb',
  's_dcache_wb_vol',
  's_dcache_discard',
  's_dcache_discard_x2',
  's_gl1_inv',
  's_atc_probe',
  's_atc_probe_buffer',
  'buffer_gl0_inv',
  'buffer_gl1_inv',
  'buffer_inv',
  'buffer_invl2',
  'buffer_wbl2',
  'buffer_wbinvl1',
  'buffer_wbinvl1_sc',
  'buffer_wbinvl1_vol',
);
