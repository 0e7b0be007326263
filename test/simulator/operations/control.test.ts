/** Branches, calls and returns by address, traps, messages, and jumps to nowhere. */
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert, suite } from '../../support/suite.js';

const test = suite('simulator/operations/control', { tests: 7, timeoutMs: 30_000 });

async function run(cpu: string, lines: readonly string[]): Promise<Uint32Array> {
  const m = machine(await assemble(cpu, lines));
  execute(m);
  return m.wave.u32;
}

async function failure(cpu: string, lines: readonly string[]): Promise<string> {
  try {
    await run(cpu, lines);
  } catch (error) {
    assert.is((error as { code?: string }).code, 'simulation-failed');
    return (error as Error).message;
  }
  return 'no error';
}

test('a loop, and both ways of each branch on SCC', async () => {
  for (const cpu of ['gfx906', 'gfx1100']) {
    const s = await run(cpu, [
      's_movk_i32 s0, 10',
      'again:',
      's_add_u32 s1, s1, s0',
      's_sub_u32 s0, s0, 1',
      's_cmp_lg_u32 s0, 0',
      's_cbranch_scc1 again',
      's_cbranch_scc0 past',
      's_movk_i32 s2, 1',
      'past:',
      's_cbranch_cdbguser past',
      's_branch out',
      's_movk_i32 s2, 2',
      'out:',
      's_nop 0',
    ]);
    assert.equal([...s.subarray(0, 3)], [0, 55, 0], cpu);
  }
});

test('the program counter is an address', async () => {
  const s = await run('gfx906', ['s_mov_b32 s4, 0x12345678', 's_getpc_b64 s[0:1]']);
  assert.equal([...s.subarray(0, 2)], [0x1000 + 12, 0x7f00]);
});

test('calls and returns', async () => {
  for (const cpu of ['gfx906', 'gfx1100']) {
    // As LLVM does it: the distance from the getpc to the function is a relocation, here a difference of labels.
    const s = await run(cpu, [
      's_getpc_b64 s[4:5]',
      'here:',
      's_add_u32 s4, s4, double-here',
      's_addc_u32 s5, s5, 0',
      's_movk_i32 s0, 21',
      's_swappc_b64 s[30:31], s[4:5]',
      's_mov_b32 s1, s0',
      's_call_b64 s[30:31], double',
      's_mov_b32 s2, s0',
      's_swappc_b64 s[4:5], s[4:5]',
      's_branch end',
      'double:',
      's_lshl_b32 s0, s0, 1',
      's_cmp_eq_u32 s0, 168',
      's_cbranch_scc1 third',
      's_setpc_b64 s[30:31]',
      'third:',
      's_or_b32 s4, s4, 3',
      's_setpc_b64 s[4:5]',
      'end:',
      's_mov_b32 s3, s0',
    ]);
    assert.equal([...s.subarray(1, 4)], [42, 84, 168], cpu);
  }
});

test('jumps to where no instruction starts', async () => {
  const setpc = await failure('gfx906', ['s_mov_b32 s1, 0x7f00', 's_mov_b32 s0, 0x1004', 's_setpc_b64 s[0:1]']);
  assert.match(
    setpc,
    /a jump to 0x00007f0000001004, where no instruction of this program starts \[kernel test, pc 0x10/,
  );
  assert.match(await failure('gfx906', ['s_setpc_b64 s[0:1]']), /a jump to 0x0{16}, where no instruction/);
  assert.match(await failure('gfx906', ['s_branch 1000']), /a jump to 0x00007f0000001fa4, .* pc 0x0 's_branch 1000'/);
  assert.match(await failure('gfx906', ['s_branch 65500']), /a jump to 0x00007f0000000f74/);
  // A branch that is not taken may lead anywhere.
  await run('gfx906', ['s_cbranch_scc1 1000']);
});

test('an endless loop stops', async () => {
  assert.match(await failure('gfx906', ['s_branch -1']), /more instructions than allowed \(an endless loop, /);
});

test('traps, halts and messages', async () => {
  assert.match(await failure('gfx906', ['s_trap 2']), /the kernel trapped .*pc 0x0 's_trap 2'/);
  await run('gfx906', ['s_trap 3']);
  assert.match(await failure('gfx906', ['s_sethalt 1']), /halts its wave/);
  await run('gfx906', ['s_sethalt 0']);
  assert.match(await failure('gfx906', ['s_sendmsg sendmsg(MSG_INTERRUPT)']), /sends message 1 to a host/);
  assert.match(await failure('gfx1030', ['s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)']), /sends message 3 to a host/);
  await run('gfx1100', ['s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)']);
  assert.match(await failure('gfx1100', ['s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)']), /message 128/);
  const s = await run('gfx1100', ['s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)']);
  assert.ok(s[0]! > 0);
  assert.match(await failure('gfx1100', ['s_code_end']), /padding behind a kernel/);
});

test('operations without effect', async () => {
  const before = [1, 2, 3, 4];
  for (const [cpu, lines] of [
    [
      'gfx906',
      [
        's_nop 3',
        's_sleep 1',
        's_waitcnt vmcnt(0)',
        's_setprio 1',
        's_icache_inv',
        's_dcache_inv',
        's_dcache_wb',
        'buffer_wbinvl1',
        'buffer_wbinvl1_vol',
        's_wakeup',
        's_ttracedata',
        's_incperflevel 1',
      ],
    ],
    ['gfx942', ['buffer_wbl2 sc1', 'buffer_inv sc1', 's_waitcnt lgkmcnt(0)']],
    ['gfx90a', ['buffer_wbl2', 'buffer_invl2', 'buffer_wbinvl1_vol']],
    [
      'gfx1030',
      [
        's_inst_prefetch 3',
        's_gl1_inv',
        'buffer_gl0_inv',
        'buffer_gl1_inv',
        's_waitcnt_vscnt null, 0',
        's_clause 1',
        's_version 1',
      ],
    ],
    [
      'gfx1100',
      [
        's_delay_alu instid0(VALU_DEP_1)',
        's_set_inst_prefetch_distance 3',
        's_waitcnt_depctr 0',
        's_wait_idle',
        's_wait_event 1',
        's_waitcnt_lgkmcnt null, 0',
      ],
    ],
  ] as const) {
    const m = machine(await assemble(cpu, lines));
    m.wave.u32.set(before);
    m.wave.scc = 1;
    const counts = execute(m);
    assert.equal([...m.wave.u32.subarray(0, 4)], before);
    assert.is(m.wave.scc, 1);
    assert.is(
      counts.executed.reduce((sum, n) => sum + n),
      lines.length + 1,
      cpu,
    );
  }
});

test.run();
