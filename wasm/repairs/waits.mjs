/** Repairs of the waits for memory that LLVM inserts (../repair.mjs). */
import { NOP } from './nop.mjs';

export const WAITS = [
  // SIInsertWaitcnts (llvm/lib/Target/AMDGPU/SIInsertWaitcnts.cpp) gets the waits of fences from SIMemoryLegalizer as
  // "soft" ones. It erases one, or takes counters from it, where nothing is pending when it first comes to the block.
  // In a loop that begins with a barrier and ends with a store to LDS, the store is pending only the next time: a race
  // (llvm/llvm-project#220357). The repair leaves the soft waits alone while it visits blocks. What has to be waited
  // for becomes a wait of its own, and the end of the pass erases the soft ones. But a soft wait for stores becomes
  // that wait itself, where no other soft one stands in front of it: so their order stays as it was.
  {
    // WaitcntGeneratorPreGFX12::applyPreexistingWaitcnt, S_WAITCNT
    file: 'llvm.wasm',
    // local.get 9 (WaitcntInstr), br_if (erase); the loop of Waitcnt::hasWaitExceptStoreCnt; local.get 8 (TrySimplify),
    // br_if (erase); local.get 7 (II), local.set 9, br (the next one)
    faulty:
      '20090d00' + '20064200370300' + '2006420c370308' + '20062903002215' + '20062903082216' + '52' + '0440' + '0340' +
      '0240' + '2015a722054103460d00' + '200320054102746a280200417f460d00' + '200721090c0a' + '0b' +
      '201542017c2215' + '2016520d00' + '0b0b' + '20080d00' + '200721090c07', // prettier-ignore
    // local.get 8, if; i32.const -1, local.set 20 (a soft wait is left), br (the next one); end; local.get 9, br_if
    right: '20080440' + '417f2114' + '0c08' + '0b' + '20090d00' + NOP.repeat(75) + '200721090c07',
  },
  {
    // The same function, S_WAITCNT_VSCNT
    file: 'llvm.wasm',
    // local.get 0, i32.load 8, drop; local 8 = operand simm16 of II, local 10 (TrySimplify) = 0; end; local 5 = Wait's
    // STORE_CNT = its minimum with local 8
    faulty:
      '20002802081a' + '2007413210840128021021084100210a0b' + '20032008200328020c2205200520084b1b220536020c' +
      // block; local.get 11 (WaitcntVsCntInstr), br_if (erase); local.get 10, local.get 5, i32.const -1, i32.eq,
      // i32.and, br_if (erase); local.get 7, local.set 11, br (the next one)
      '0240' + '200b0d00' + '200a' + '2005417f46' + '710d00' + '2007210b0c03', // prettier-ignore
    // block; local.get 5, local.get 20, i32.or, i32.const -1, i32.eq, local.get 10, i32.and, br_if (the next one)
    right:
      '2007413210840128021021084100210a0b' + '20032008200328020c2205200520084b1b220536020c' +
      '0240' + '2005201472417f46' + '200a710d03' + '200b0d00' + NOP.repeat(3) + '2007210b0c03', // prettier-ignore
  },
  {
    // WaitcntGeneratorGFX12Plus::applyPreexistingWaitcnt, waits for one counter. A soft one that is needed becomes a
    // wait in its place, as before. One that is not needed is left, and so is one behind another for the same counter.
    file: 'rest.wasm',
    faulty: [
      // block; whether the wait is not a soft one (local.get 6), i32.eqz, if; local 6 = Wait; if the counter (local 7)
      // has a value, br_if, else br (error); end; local 6 = RequiredWait; if the counter has none, br_if (error); end
      '0240' + '200641017145' + '0440' + '20032106' + '20074101710d01' + '0c03' + '0b' +
        '200541e0006a2106' + '2007410171450d02' + '0b' +
        // Its counter = the minimum; if there is no first wait of its kind, it is this one, br (the next one); end
        '2006' + '20052802304102742207' + '6a2206' + '2008' + '20062802002206' + '200620084b' + '1b360200' +
        '20054190016a' + '20076a2206' + '280200450440' + '20062009360200' + '0c040b', // prettier-ignore
    ],
    right: [
      // local.get 3, RequiredWait, local.get 6, i32.const 1, i32.and, i32.eqz, local.tee 10, select, local.set 6; if
      // the counter has no value, br_if (error)
      '2003' + '200541e0006a' + '200641017145220a' + '1b2106' + '2007410171450d01' +
        '2006' + '20052802304102742207' + '6a2206' + '2008' + '20062802002206' + '200620084b' + '1b360200' +
        '20054190016a' + '20076a2206' + '280200450440' + '20062009360200' + '0c040b' +
        // local.get 10, br_if (the next one)
        '200a0d03' + NOP.repeat(10), // prettier-ignore
    ],
  },
  {
    // The same function, where a wait for one counter is not needed
    file: 'rest.wasm',
    // end; the wait, call eraseFromParent, drop; i32.const 1, local.set 11 (Modified); end; local.get 26, i64.const 1,
    // i64.add, local.tee 26, local.get 28, i64.ne
    faulty: '0b' + '200a10f6101a' + '4101210b' + '0b' + '201a42017c221a201c52',
    right: '0b' + NOP.repeat(10) + '0b' + '201a42017c221a201c52',
  },
  {
    // WaitcntGeneratorPreGFX12::applyPreexistingWaitcnt, S_WAITCNT_lds_direct: a release waits for loads that write into
    // the LDS themselves. It is erased when the pass first comes to the block. So in a loop, a barrier did not wait for
    // such loads behind it. It is left, too, until the pass ends.
    file: 'llvm.wasm',
    // determineWaitForLDSDMA(LOAD_CNT, LDSDMA_BEGIN, Wait); local.get 7 (II), call eraseFromParent, drop; br
    faulty: '20014100418080042003109314' + '200710501a' + '0c05',
    right: '20014100418080042003109314' + NOP.repeat(5) + '0c05',
  },
  {
    // SIInsertWaitcnts::run. The room is that of scalar stores, which nothing makes any more.
    file: 'llvm.wasm',
    faulty: [
      // ST->hasScalarStores(), i32.const 1, i32.ne, br_if
      '20002802b8012d00e3044101470d00' + '20024280808080c0003702f402',
      // Of each instruction (local 4): whether it is a scalar store; whether it ends the program: then its block into
      // EndPgmBlocks; the last one of its bundle; the next one; if it is not the end (local 5) of the block, loop
      '2006410171047f4101052004280208' + '2d001c4107760b2106' +
        '0240' + '20042802202208418c2847' + '200841a6224771' + '0d00' + '20022802f4022208' + '20022802f802' + '4f0440' +
        '200241f0026a' + '20011031' + '0c010b' + '20022802f002' + '20084102746a' + '2001360000' +
        '2002' + '20022802f40241016a' + '3602f4020b' +
        '0240' + '20042d00004102710d00' + '20042d0018410871450d00' + '200428020422042d0018410871450d00' +
        '0340' + '200428020422042d00184108710d00' + '0b0b' + '200428020422042005470d00', // prettier-ignore
    ],
    right: [
      '20024280808080c0003702f402',
      // local 7 = the next one; local 8 = the opcode - 5391; if it is below 24, and a soft wait's or that of
      // S_WAITCNT_lds_direct (a mask of them), call eraseFromParent
      '20042802042107' + '2004280220418f2a6b2208' + '411849' + '41a7a1ca042008764101' + '7171' + '0440' + '200410501a' +
        '0b' + NOP.repeat(144) + '200722042005470d00', // prettier-ignore
    ],
  },
  {
    // WaitcntGeneratorPreGFX12::getWaitEvents. Before gfx10, stores have no counter of their own and count as loads.
    // But their events belong to the counter for stores, too, and at the beginning of a function and behind a call
    // these are set, while no store is counted. So when a loop brought a store to such a block, its events were not
    // new, the block was not visited again, and a soft wait in it was lost. The repair gives the counter for stores no
    // events.
    file: 'llvm.wasm',
    // local 2 = the events of counter i1; local.get 1, if, local.get 2, else, local.get 2, local.get 2, i32.const 48
    // (those of stores), i32.or, ST->hasVscnt(), select; end; end
    faulty:
      '20014102742802a0e6a909' + '2102' + '2001' + '047f' + '2002' + '05' + '2002' + '2002413072' +
      '20002802042d008505' + '1b' + '0b' + '0b', // prettier-ignore
    // The events; i32.const 48, i32.const 0, whether i1 is 0 (loads) or 3 (stores), and not ST->hasVscnt(), select,
    // i32.xor
    right:
      '20014102742802a0e6a909' + '4130' + '4100' + '200145' + '2001410346' + '72' + '20002802042d00850545' + '71' +
      '1b' + '73' + NOP + '0b', // prettier-ignore
  },
];
