/** What the check of waits finds: in snippets, with and without the wait that they need, and in LLVM's code. */
import { LlvmModule } from '../../../src/binding/module.js';
import type { LlvmRuntime } from '../../../src/binding/runtime.js';
import { compileModule } from '../../../src/pipeline/compile.js';
import { drawFor } from '../../support/draw.js';
import { artifact, runtime, SILENT, text, withDefaults } from '../../support/llvm.js';
import { assert, suite } from '../../support/suite.js';
import { unrepairedRuntime } from '../../support/unrepaired.js';
import { checkWaits, type Fault } from './check.js';
import { randomModule } from './random-kernels.js';

const test = suite('campaign/waits/check', { tests: 15 });

const PREFIX = '\nf:                                      ; @f\n';
const asFunction = (code: string): string => `${PREFIX}${code.replaceAll(/^ *(?=[^.\s])/gm, '\t')}\n.Lfunc_end0:\n`;
const asKernel = (code: string): string => `${asFunction(`${code}\ns_endpgm`)}\t.amdhsa_kernel f\n`;

const whats = (faults: readonly Fault[]): string => faults.map(({ what }) => what).join('\n');

/**
 * In `code`, `[right|wrong]` is what has to stand there and what must not: by itself, `[right]` must not be missing.
 *
 * @param fault what is found where it is wrong
 */
function twins(cpus: string, code: string, fault: RegExp, whole = asKernel): void {
  const choose = (index: number): string =>
    whole(code.replaceAll(/\[\[(.*?)\]\]/g, (_, both: string) => both.split('|')[index] ?? ''));
  for (const cpu of cpus.split(' ')) {
    assert.is(whats(checkWaits(choose(0), cpu)), '', `${cpu}: ${code}`);
    assert.match(whats(checkWaits(choose(1), cpu)), fault, `${cpu}: ${code}`);
  }
}

test('what a load brings is not used before it is there', () => {
  const v1 = /^v1 is not there yet, see line 3: /;
  twins('gfx906 gfx1100', 'global_load_dword v1, v0, s[0:1]\n[[s_waitcnt vmcnt(0)]]\nv_add_u32_e32 v2, v1, v0', v1);
  twins('gfx906 gfx1100', 'ds_read_b64 v[0:1], v4\n[[s_waitcnt lgkmcnt(0)]]\nds_write_b32 v4, v1', v1);
  twins('gfx1201', 'ds_load_b32 v1, v0\n[[s_wait_dscnt 0x0|s_wait_loadcnt 0x0]]\nv_mov_b32_e32 v2, v1', v1);
  const both = 's_wait_loadcnt_dscnt';
  twins('gfx1201', `global_load_b32 v1, v0, off\n${both} [[0x3f|0x100]]\nv_mov_b32_e32 v2, v1`, v1);
  twins('gfx90a', 'global_load_dword a3, v0, s[0:1]\n[[s_waitcnt vmcnt(0)]]\nv_accvgpr_read_b32 v1, a3', /^a3 /);
  twins('gfx1030', 's_load_dwordx2 vcc, s[0:1], 0x0\n[[s_waitcnt lgkmcnt(0)]]\ns_cbranch_vccz .L0\n.L0:', /^vcc_lo /);
  twins('gfx942', 's_memtime s[2:3]\n[[s_waitcnt lgkmcnt(0)]]\ns_add_u32 s0, s3, 1', /^s3 /);
  const time = 's_sendmsg_rtn_b64 s[2:3], sendmsg(MSG_RTN_GET_REALTIME)';
  twins('gfx1100', `${time}\n[[s_waitcnt lgkmcnt(0)]]\ns_mov_b32 s0, s2`, /^s2 /);
  const sample = 'image_sample v1, v[2:3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D';
  twins('gfx1201', `${sample}\n[[s_wait_samplecnt 0x0|s_wait_loadcnt 0x0]]\nv_mov_b32_e32 v0, v1`, v1);
});

test('a half of a register is its own', () => {
  twins(
    'gfx1100',
    'ds_load_u8_d16 v1, v0\n[[v_mov_b16_e32 v1.h, v2.l|v_mov_b16_e32 v1.l, v2.l]]\ns_waitcnt lgkmcnt(0)',
    /^v1 /,
  );
  twins('gfx1100', 'ds_load_u8_d16_hi v1, v0\n[[ds_store_b8 v2, v1|ds_store_b8_d16_hi v2, v1]]', /^v1 /);
});

test('what a load will write is not written before', () => {
  const before = 'global_load_dword v1, v0, s[0:1]\n';
  twins('gfx906', `${before}[[s_waitcnt vmcnt(0)]]\nv_mov_b32_e32 v1, 0`, /^v1 is not there yet/);
  twins('gfx906', `${before}[[s_waitcnt vmcnt(0)]]\nds_read_b32 v1, v0`, /^v1 may be overwritten by line 3/);
  // They come in their order, so the second one stays.
  twins('gfx906', `${before}[[global_load_dword v1, v2, s[2:3]|ds_read_b32 v1, v2]]`, /^v1 may be overwritten/);
  twins('gfx1100', 's_load_b32 s4, s[0:1], 0x0\n[[s_waitcnt lgkmcnt(0)]]\ns_load_b32 s4, s[2:3], 0x0', /^s4 may/);
});

test('what is done in order is waited for by number', () => {
  const two = 'global_load_dword v1, v0, s[0:1]\nglobal_load_dword v2, v0, s[0:1] offset:4\n';
  twins('gfx906 gfx1030', `${two}s_waitcnt vmcnt([[1|2]])\nv_mov_b32_e32 v3, v1`, /^v1 /);
  twins('gfx906', 'ds_read_b32 v1, v0\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt([[1|2]])\nv_mov_b32_e32 v3, v1', /^v1 /);
  const store = 'global_load_dword v1, v0, s[0:1]\nglobal_store_dword v0, v2, s[0:1]\n';
  twins('gfx906', `${store}s_waitcnt vmcnt([[1|2]])\nv_mov_b32_e32 v3, v1`, /^v1 /);
  // Stores have a counter of their own.
  twins('gfx1030', `${store}s_waitcnt vmcnt([[0|1]])\nv_mov_b32_e32 v3, v1`, /^v1 /);
  const scalar = 's_load_dword s4, s[0:1], 0x0\n';
  twins('gfx906', `${scalar}${scalar.replace('s4', 's5')}s_waitcnt lgkmcnt([[0|1]])\ns_mov_b32 s0, s4`, /^s4 /);
  twins('gfx906', `${scalar}ds_read_b32 v1, v0\ns_waitcnt lgkmcnt([[0|1]])\ns_mov_b32 s0, s4`, /^s4 /);
});

test('what uses flat addresses counts twice, and may be done early', () => {
  const flat = 'flat_load_dword v1, v[2:3]\n';
  for (const wrong of ['vmcnt(0)', 'lgkmcnt(0)'])
    twins('gfx906 gfx1030', `${flat}s_waitcnt [[vmcnt(0) lgkmcnt(0)|${wrong}]]\nv_mov_b32_e32 v0, v1`, /^v1 /);
  const older = `global_load_dword v4, v0, s[0:1]\n${flat}`;
  twins('gfx906', `${older}s_waitcnt vmcnt([[0|1]])\nv_mov_b32_e32 v0, v4`, /^v4 /);
  twins('gfx1030', `${older}s_waitcnt vmcnt([[1|2]])\nv_mov_b32_e32 v0, v4`, /^v4 /);
});

test('a barrier of the LDS does not wait for memory', () => {
  const faults = (access: string) => whats(checkWaits(asKernel(`${access}\ns_barrier`), 'gfx1100', true));
  assert.is(faults('global_store_b32 v0, v1, s[0:1]'), '');
  assert.match(faults('ds_store_b32 v0, v1'), /barrier with an outstanding access to the LDS/);
});

test('a barrier waits for the LDS, and since gfx10 for memory', () => {
  const lds = /barrier with an outstanding access to the LDS, see line 3/;
  twins('gfx906 gfx1030 gfx1100', 'ds_write_b32 v0, v1\n[[s_waitcnt lgkmcnt(0)]]\ns_barrier', lds);
  twins('gfx1201', 'ds_store_b32 v0, v1\n[[s_wait_dscnt 0x0]]\ns_barrier_signal -1\ns_barrier_wait -1', lds);
  const store = /barrier with an outstanding store/;
  twins(
    'gfx1030',
    'global_store_dword v0, v1, s[0:1]\n[[s_waitcnt_vscnt null, 0x0|s_waitcnt vmcnt(0)]]\ns_barrier',
    store,
  );
  twins('gfx1201', 'global_store_b32 v0, v1, s[0:1]\n[[s_wait_storecnt 0x0]]\ns_barrier_signal -1', store);
  // Other waves cannot see scratch, and what moves values between lanes is not in the LDS.
  twins('gfx1100', '[[scratch_store_b32 off, v1, s0|global_store_b32 v0, v1, s[0:1]]]\ns_barrier', store);
  twins('gfx906', '[[ds_bpermute_b32 v1, v0, v2|ds_read_b32 v1, v0]]\ns_barrier', lds);
  twins(
    'gfx90a',
    'global_load_dword v[2:3], off lds\n[[s_waitcnt vmcnt(0)]]\ns_barrier',
    /an outstanding load into the LDS/,
  );
  twins('gfx906', '[[global_store_dword v0, v1, s[0:1]|ds_add_u32 v0, v1]]\ns_barrier', lds);
});

test('a loop brings to its beginning what is outstanding at its end', () => {
  const loop = '.L0:\n[[s_waitcnt lgkmcnt(0)]]\ns_barrier\nds_write_b32 v0, v1\ns_cbranch_scc1 .L0';
  twins('gfx90a', loop, /barrier with an outstanding access to the LDS/);
  const store = 's_cbranch_vccz .L2\nds_write_b32 v0, v1\n.L2:';
  const inner = '.L1:\ns_cbranch_scc1 .L1';
  const outer = `.L0:\n[[s_waitcnt lgkmcnt(0)]]\ns_barrier\n${inner}\n${store}\ns_branch .L0`;
  twins('gfx90a', outer, /barrier with an outstanding access to the LDS/);
  // The way to the barrier without a store is not the only one; a wait for one load less is not enough on the other.
  const join = 's_cbranch_scc1 .L0\nglobal_load_dword v2, v0, s[0:1]\n.L0:\n';
  const load = 'global_load_dword v1, v0, s[0:1]\n';
  twins('gfx906', `${load}${join}s_waitcnt vmcnt([[0|1]])\nv_mov_b32_e32 v3, v1`, /^v1 /);
});

test('a fence that releases waits for what others then see', () => {
  const store = 'global_store_dword v0, v1, s[0:1]\n';
  twins('gfx906', `${store}[[s_waitcnt vmcnt(0)]]\n; RELEASE agent`, /agent fence with an outstanding store/);
  twins(
    'gfx1100',
    `${store}[[s_waitcnt_vscnt null, 0x0]]\n; RELEASE workgroup`,
    /workgroup fence with an outstanding store/,
  );
  twins('gfx906', `${store}[[; RELEASE workgroup|; RELEASE system]]`, /system fence/);
  twins('gfx906', 'ds_write_b32 v0, v1\n[[s_waitcnt lgkmcnt(0)]]\n; RELEASE workgroup', /workgroup fence/);
  twins('gfx942', `buffer_wbl2 sc1\n[[s_waitcnt vmcnt(0)]]\n${store}`, /store with an outstanding write-back/);
  twins('gfx942', 'buffer_wbl2 sc1\n[[s_waitcnt vmcnt(0)]]\ns_barrier', /barrier with an outstanding write-back/);
  // What stands directly in front of the comment is the atomic itself.
  const flag = 'global_atomic_swap v3, v4, s[2:3]\n; RELEASED agent';
  twins('gfx906', `${store}[[s_waitcnt vmcnt(0)]]\n${flag}`, /agent release by an atomic with an outstanding store/);
  twins('gfx1201', 'global_wb scope:SCOPE_DEV\n[[s_wait_storecnt 0x0]]\nglobal_store_b32 v0, v1, s[0:1]', /write-back/);
});

test('a volatile access is over before what follows, and a load before what it acquires', () => {
  const load = 'global_load_dword v1, v0, s[0:1] glc\n[[s_waitcnt vmcnt(0)]]\n';
  twins('gfx906', `${load}; VOLATILE load`, /end of a volatile access/);
  twins('gfx906', `${load}buffer_wbinvl1_vol`, /invalidation with an outstanding load/);
  twins('gfx1100', 'global_store_b32 v0, v1, s[0:1]\n[[s_waitcnt_vscnt null, 0x0]]\n; VOLATILE store', /volatile/);
  twins(
    'gfx1201',
    'global_load_b32 v1, v0, s[0:1]\n[[s_wait_loadcnt 0x0]]\nglobal_inv scope:SCOPE_DEV',
    /invalidation/,
  );
  // The old value of an atomic comes with loads, unless nobody asks for it.
  const atomic = 'global_atomic_add v0, v1, s[0:1]';
  twins('gfx1030', `${atomic}\n[[s_waitcnt_vscnt null, 0x0|s_waitcnt vmcnt(0)]]\n; VOLATILE store`, /volatile/);
  const fence =
    'global_load_b32 v1, v0, s[0:1]\nv_mov_b32_e32 v2, 0\n[[s_wait_loadcnt 0x0]]\nglobal_inv scope:SCOPE_DEV';
  twins('gfx1201', fence, /invalidation with an outstanding load/);
  // An atomic acquires by itself, whatever else is outstanding.
  const plain = 'global_load_b32 v1, v0, s[0:1]\n';
  twins('gfx1201', `${plain}ds_max_u32 v0, v2\n[[s_wait_dscnt 0x0]]\nglobal_inv scope:SCOPE_SE`, /access to the LDS/);
  const add = 'global_atomic_add_u32 v0, v2, s[0:1] scope:SCOPE_DEV';
  twins('gfx1201', `${plain}${add}\n[[s_wait_storecnt 0x0]]\nglobal_inv scope:SCOPE_DEV`, /an outstanding store/);
  twins('gfx1030', 'global_atomic_add v2, v0, v1, s[0:1] glc\n[[s_waitcnt vmcnt(0)]]\nbuffer_gl0_inv', /invalidation/);
});

test('functions wait at their beginning and before their end', () => {
  const begin = 's_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)';
  const end = 's_setpc_b64 s[30:31]';
  const inFunction = (cpu: string, code: string, fault: RegExp): void => twins(cpu, code, fault, asFunction);
  inFunction('gfx906', `s_waitcnt vmcnt(0) [[lgkmcnt(0)]]\nv_mov_b32_e32 v1, v0\n${begin}\n${end}`, /^v1 .* line 0/);
  inFunction(
    'gfx906',
    `${begin}\nds_write_b32 v0, v1\n[[s_waitcnt lgkmcnt(0)]]\n${end}`,
    /return .* access to the LDS/,
  );
  inFunction('gfx906', `${begin}\nglobal_store_dword v[0:1], v2, off\n[[${begin}]]\n${end}`, /return .* store/);
  inFunction('gfx1100', `${begin}\n[[global_store_b32|global_load_b32]] v[0:1], v2, off\n${end}`, /return .* load/);
  // Where stores may be left, those of a caller and of a callee may be outstanding.
  const store = /barrier with an outstanding store/;
  inFunction('gfx1100', `${begin}\n[[s_waitcnt_vscnt null, 0x0]]\ns_barrier\n${end}`, store);
  twins('gfx1100', 's_swappc_b64 s[30:31], s[0:1]\n[[s_waitcnt_vscnt null, 0x0]]\ns_barrier', store);
  twins('gfx90a', 'ds_write_b32 v0, v1\n[[s_swappc_b64 s[30:31], s[0:1]]]\ns_barrier', /access to the LDS/);
});

test('what the check does not know is said', () => {
  for (const unknown of [
    'exp mrt0 v0, v0, v0, v0 done',
    's_store_dword s0, s[2:3], 0x0',
    'ds_gws_init v0',
    's_setpc_b64 s[0:1]',
  ])
    assert.is(whats(checkWaits(asKernel(unknown), 'gfx1030')), `unknown: ${unknown}`);
  assert.throws(() => checkWaits(asKernel('s_branch .L9'), 'gfx906'), /there is no \.L9/);
  assert.throws(() => checkWaits('', 'gfx1250'), /does not know gfx1250/);
});

test('a far branch goes where its offset says', () => {
  const far =
    's_getpc_b64 s[4:5]\n.Lpost_getpc0:\ns_add_u32 s4, s4, (.L1-.Lpost_getpc0)&4294967295\ns_setpc_b64 s[4:5]\n';
  const code = `ds_write_b32 v0, v1\n${far}s_waitcnt lgkmcnt(0)\n.L1:\n[[s_waitcnt lgkmcnt(0)]]\ns_barrier`;
  twins('gfx906', code, /barrier with an outstanding access to the LDS/);
});

/** A loop that begins with a fence and a barrier, and ends with a store to the LDS. */
const LOOP = `target triple = "amdgcn-amd-amdhsa"
  @ring = internal unnamed_addr addrspace(3) global [256 x i32] poison
  define amdgpu_kernel void @f(i32 %n) {
  entry:
    %id = call i32 @llvm.amdgcn.workitem.id.x()
    %at = getelementptr i32, ptr addrspace(3) @ring, i32 %id
    %turns = mul i32 %n, 3
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %i.1, %loop ]
    fence syncscope("workgroup") release
    call void asm sideeffect "; RELEASE workgroup", "~{memory}"()
    call void @llvm.amdgcn.s.barrier()
    store i32 %i, ptr addrspace(3) %at
    %i.1 = add i32 %i, 1
    %more = icmp ult i32 %i.1, %turns
    br i1 %more, label %loop, label %end
  end:
    ret void
  }
  declare void @llvm.amdgcn.s.barrier()
  declare i32 @llvm.amdgcn.workitem.id.x()`;

/** As LLVM generates it at level 2. */
function generated(llvm: LlvmRuntime, ir: string, cpu: string): string {
  llvm.reset();
  return llvm.run(() => {
    using module = LlvmModule.read(llvm, new TextEncoder().encode(ir), { cpu, features: '' }, 2);
    module.generate('asm');
    return text(module.generated());
  });
}

test('the waits that LLVM loses in loops are missed, and not where they are repaired', async () => {
  const [unrepaired, repaired] = [await unrepairedRuntime(), await runtime()];
  for (const cpu of ['gfx906', 'gfx90a', 'gfx942', 'gfx1030', 'gfx1100', 'gfx1201']) {
    assert.is(whats(checkWaits(generated(repaired, LOOP, cpu), cpu)), '', cpu);
    const lost = whats(checkWaits(generated(unrepaired, LOOP, cpu), cpu));
    assert.match(lost, /workgroup fence with an outstanding access to the LDS/, cpu);
    // Before gfx90a, LLVM waits in front of every barrier for another reason.
    if (cpu !== 'gfx906') assert.match(lost, /barrier with an outstanding access to the LDS/, cpu);
  }
});

/** Of random kernels, whose fences stand in it as comments. */
function assemblyOf(llvm: LlvmRuntime, seed: number, mcpu: string): string {
  const module = new TextEncoder().encode(randomModule(drawFor(seed, 0), 'k', mcpu));
  const options = withDefaults({ mcpu, meld: 'off', optimize: 'O3', emit: ['asm'] });
  return text(artifact(compileModule(llvm, module, options, SILENT), 'asm'));
}

test.long('so it is in random kernels', async () => {
  const [unrepaired, repaired] = [await unrepairedRuntime(), await runtime()];
  for (const cpu of ['gfx1100', 'gfx1201']) {
    const assembly = assemblyOf(repaired, 2, cpu);
    assert.match(assembly, /; RELEASE workgroup\n/);
    assert.is(whats(checkWaits(assembly, cpu)), '', cpu);
    const lost = whats(checkWaits(assemblyOf(unrepaired, 2, cpu), cpu));
    assert.match(lost, /^(barrier|workgroup fence) with an outstanding/m, cpu);
  }
});

test.run();
