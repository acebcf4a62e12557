# RUN: %python %s %root %t

"""Mistakes in kernels of the mosaic_gpu dialect: a checked run reports each at its operation.

The kernels are in Inputs; the compiler for GPUs accepts them. A mistake replaces some of their
text. `at` starts the line that is reported, behind its result; `says` is in the report.
"""

import dataclasses
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import cases
import numpy as np

root, work = sys.argv[1:3]
inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
os.makedirs(work, exist_ok=True)
rng = np.random.default_rng(3)


def integers(*shape, dtype=np.float32):
  return rng.integers(-3, 4, shape).astype(dtype)


@dataclasses.dataclass
class Kernel:
  arrays: tuple
  results: tuple


def kernels():
  x, y = integers(64, 256, dtype=np.float16), integers(256, 64, dtype=np.float16)
  yield "ring", Kernel((x, y), (x.astype(np.float32) @ y.astype(np.float32),))
  x, y = integers(384, 32), integers(384, 32)
  yield "specialized", Kernel((x, y), ((x * y).reshape(6, 64, 32).sum(axis=0),))
  steps = np.repeat(np.arange(4, dtype=np.float32), 64)
  yield "stores", Kernel((), (np.tile(np.concatenate([steps, np.ones(256, np.float32)])[:, None], (1, 32)),))
  x = integers(192, 32)
  yield "multicast", Kernel((x,), (np.tile(x.reshape(3, 64, 32).sum(axis=0), (2, 1)),))
  x, y = integers(128, 128, dtype=np.float16), integers(128, 64, dtype=np.float16)
  product = x.astype(np.float32) @ y.astype(np.float32) + 1
  yield "tensor", Kernel((x, y), (product, product))
  yield "launch", Kernel((), (np.arange(3, dtype=np.int32).repeat(2).reshape(3, 2),))


KERNELS = dict(kernels())
MISTAKES = {}


def mistake(name, kernel, edits, at, says):
  """`edits` are pairs of text and what it becomes, each where it comes first, or lines to leave out."""
  assert name not in MISTAKES, name
  MISTAKES[name] = (kernel, [edit if isinstance(edit, tuple) else (edit, None) for edit in edits], at, says)


def edited(text, edits):
  for old, new in edits:
    assert old in text, old
    if new is None:
      lines = text.split("\n")
      del lines[next(i for i, line in enumerate(lines) if old in line)]
      text = "\n".join(lines)
    else:
      text = text.replace(old, new, 1)
  return text


LOAD, STORE = '"mosaic_gpu.async_load"', '"mosaic_gpu.async_store"'
WAIT = "nvvm.mbarrier.try_wait.parity"
FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
ARRIVE = '"mosaic_gpu.arrive"(%bc)'
COMMIT = '"mosaic_gpu.tcgen05_commit_arrive"(%d) <{collective = false}> : (!tbar) -> ()'

COPY_AGAIN = """          "mosaic_gpu.async_load"(%y, %yslot, %br, %row, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<384x32xf32>, !slot, !bar, i32, i32) -> ()
"""
OTHER_BARRIER = """%so = arith.subi %c1, %s : i32
          %po = llvm.getelementptr %ready[%so] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %bo = builtin.unrealized_conversion_cast %po : !llvm.ptr<3> to !bar
          """

OWN_BLOCK = "%self0 = gpu.cluster_block_id x\n        %self = arith.index_cast %self0 : index to i32\n        "
READ = '%v = "mosaic_gpu.vector_load"(%s) : (!s) -> !v'
ADD = "        %next = arith.addf %acc, %v : !v\n"
WRITE = '"mosaic_gpu.vector_store"(%zeros, %s) <{multimem = false}> : (!v, !s) -> ()'

# Bytes that an arrival expects.
mistake("refill expects half", "ring", [("barrier(%bf : !bar) 8192", "barrier(%bf : !bar) 4096")],
        LOAD + "(%x, %xfree", "brings 8192 bytes to its barrier, where only 4096 are still expected; expect the bytes of all copies")
mistake("refill expects double", "ring", [("barrier(%bf : !bar) 8192", "barrier(%bf : !bar) 16384")],
        "mosaic_gpu.arrive_expect_tx barrier(%bf : !bar) 8192", "expects 8192 bytes, but the copies to its barrier that follow in its block bring only 0")
mistake("refill expects nothing", "ring", ["barrier(%bf : !bar) 8192"],
        LOAD + "(%x, %xfree", "brings 8192 bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in front of it in its block expects them")
mistake("one of two copies expected", "specialized", [("(%br : !bar) 16384", "(%br : !bar) 8192")],
        LOAD + "(%y", "brings 8192 bytes to its barrier")
mistake("three of two copies expected", "specialized", [("(%br : !bar) 16384", "(%br : !bar) 24576")],
        "mosaic_gpu.arrive_expect_tx", "expects 24576 bytes, but the copies to its barrier that follow in its block bring only 16384")
mistake("bytes of both blocks expected", "multicast", [("(%b : !bar) 8192", "(%b : !bar) 16384")],
        "mosaic_gpu.arrive_expect_tx", "expects 16384 bytes, but the copies to its barrier that follow in its block bring only 8192")
mistake("bytes of f8 expected", "tensor", [("(%b : !bar) 16384", "(%b : !bar) 8192")],
        LOAD + "(%x", "brings 16384 bytes to its barrier, where only 8192 are still expected")
mistake("second of two copies missing", "specialized", [LOAD + "(%y"],
        "mosaic_gpu.arrive_expect_tx", "expects 16384 bytes, but the copies to its barrier that follow in its block bring only 8192")
mistake("second of two copies twice", "specialized", [("          " + LOAD + "(%y", COPY_AGAIN + "          " + LOAD + "(%y")],
        LOAD + "(%y", "brings 8192 bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in front of it in its block expects them")
mistake("second copy at the barrier of the other slot", "specialized", [(LOAD + "(%y, %yslot, %br", OTHER_BARRIER + LOAD + "(%y, %yslot, %bo")],
        LOAD + "(%y", "brings 8192 bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in front of it in its block expects them")
mistake("second copy of all steps but the last", "specialized", [(LOAD + "(%y, %yslot, %br", "%but = arith.cmpi slt, %step, %c5 : i32\n          scf.if %but {\n          " + LOAD + "(%y, %yslot, %br"), ("-> ()\n        }\n      } else", "-> ()\n          }\n        }\n      } else")],
        "mosaic_gpu.arrive_expect_tx", "expects 16384 bytes, but the copies to its barrier that follow in its block bring only 8192")

# Arrivals that a barrier counts.
mistake("three arrivals of two copies", "ring", [("arrival_count = 2", "arrival_count = 3")],
        WAIT, "waits for arrival 3 at a barrier, which has seen 2")
mistake("one arrival of two copies", "ring", [("arrival_count = 2", "arrival_count = 1")],
        WAIT, "waits for arrival 3 at a barrier, which has seen 2")
mistake("two arrivals of one warpgroup", "specialized", [("(%consumed) <{arrival_count = 1", "(%consumed) <{arrival_count = 2")],
        WAIT + " %pc", "waits for arrival 2 at a barrier, which has seen 1")
mistake("arrival of this block alone", "multicast", [("mbarrier.init %free, %c2", "mbarrier.init %free, %c1")],
        WAIT + " %ready", "at a barrier, which has seen")
mistake("arrival of a third block", "multicast", [("mbarrier.init %free, %c2", "mbarrier.init %free, %c3")],
        WAIT + " %free", "waits for arrival 3 at a barrier, which has seen 2")
mistake("arrival at block 0 alone", "multicast", [("arith.andi %bit, %c3", "arith.andi %bit, %c1")],
        WAIT + " %free", "waits for arrival 2 at a barrier, which has seen 0")
mistake("no arrival of the consumer", "specialized", [ARRIVE],
        WAIT + " %pc", "waits for arrival 1 at a barrier, which has seen 0")
mistake("half of the barriers initialized", "ring", [("num_barriers = 2", "num_barriers = 1")],
        '"mosaic_gpu.slice_smem"() <{offset = 49152', "of which nothing initializes number")

# Phases.
mistake("phase not flipped", "ring", [("memref.store %flipped", "memref.store %word")],
        WAIT, "waits for arrival 6 at a barrier, which has seen 4")
mistake("parity inverted", "ring", [("arith.cmpi ne, %bit", "arith.cmpi eq, %bit")],
        WAIT, "waits for arrival 4 at a barrier, which has seen 2")
mistake("phases start at 1", "ring", [("memref.store %c0, %phases[]", "memref.store %c3, %phases[]")],
        WAIT, "waits for arrival 4 at a barrier, which has seen 2")
mistake("parity of all phases is 0", "multicast", [("%parity = arith.remsi %step, %c2", "%parity = arith.remsi %step, %c1")],
        WAIT + " %free", "waits for arrival 3 at a barrier, which has seen 2")
mistake("lost phase of a consumed slot", "specialized", [("%flipped = arith.xori %word, %mask", "%flipped = arith.xori %word, %c0")],
        WAIT + " %pr", "waits for arrival 4 at a barrier, which has seen 3")
mistake("phase 1 of a product in place of 0", "tensor", [(WAIT + " %done, %parity", WAIT + " %done, %c1")],
        WAIT + " %done", "waits for arrival 2 at a barrier, which has seen 1")

# Slots.
mistake("wait at slot 1 alone", "ring", [("%p[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n        nvvm", "%p[%c1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n        nvvm")],
        WAIT, "waits for arrival 4 at a barrier, which has seen 2 (element 1 of")
mistake("slot of this step refilled", "ring", [("%free = arith.remsi %ahead, %c2", "%free = arith.remsi %step, %c2")],
        WAIT, "waits for arrival 4 at a barrier, which has seen 2 (element 0 of")
mistake("slot 0 of x multiplied", "ring", [("%xslot = memref.subview %xst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot\n        %yslot = memref.subview %yst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot\n        %next",
                                            "%xslot = memref.subview %xst[0, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to memref<64x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>\n        %yslot = memref.subview %yst[%at, 0, 0] [1, 64, 64] [1, 1, 1] : !slots to !slot\n        %next"),
                                           ("a(%xslot : !slot)", "a(%xslot : memref<64x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>)")],
        LOAD + "(%x, %xfree", "may still be reading it")
mistake("arrival at slot 0 alone", "specialized", [("%pc = llvm.getelementptr %consumed[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n          %bc", "%pc = llvm.getelementptr %consumed[%c0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n          %bc")],
        WAIT + " %pc", "waits for arrival 1 at a barrier, which has seen 0 (element 1 of")
mistake("a third slot of two", "specialized", [("%s = arith.remsi %step, %c2", "%s = arith.remsi %step, %c3")],
        WAIT + " %pc", "accesses index 2 in dimension 0")
mistake("slot of the other warpgroup", "stores", [("%other[%at, 0, 0]", "%mine[%at, 0, 0]")],
        '"mosaic_gpu.vector_store"(%ones', "data race")
mistake("rows of the other warpgroup", "stores", [("arith.addi %rows, %rstep", "arith.addi %c0, %rstep")],
        STORE + "(%slot, %o, %row, %c0) <{commit_group = false", "may still be writing it")

# Slots released or filled a step early.
mistake("refilled with the product under way", "ring", [("wait.group.sync.aligned 1", "wait.group.sync.aligned 2")],
        LOAD + "(%x, %xfree", "may still be reading it")
mistake("refilled without a wait for the product", "ring", ["nvvm.wgmma.wait.group.sync.aligned 1"],
        LOAD + "(%x, %xfree", "may still be reading it")
mistake("arrival before the loads", "specialized",
        [ARRIVE, ("          %xv =", '          %pd = llvm.getelementptr %consumed[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n          %bd = builtin.unrealized_conversion_cast %pd : !llvm.ptr<3> to !bar\n          "mosaic_gpu.arrive"(%bd) <{orders_tensor_core = false}> : (!bar) -> ()\n          %xv =')],
        LOAD + "(%x", "while 'pallas.get'")
mistake("no wait for the first slot that is filled again", "specialized", [("arith.cmpi sge, %step, %c2", "arith.cmpi sge, %step, %c3")],
        WAIT + " %pc", "waits for arrival 3 at a barrier, which has seen 2")
mistake("waits for a slot that nothing was in", "specialized", [("arith.cmpi sge, %step, %c2", "arith.cmpi sge, %step, %c1")],
        WAIT + " %pc", "waits for arrival 1 at a barrier, which has seen 0")
mistake("one step fewer consumed", "specialized", [("scf.for %step = %c0 to %c6 step %c1 iter_args", "scf.for %step = %c0 to %c5 step %c1 iter_args")],
        LOAD + "(%y", "copy never waited for")

# Slots of a cluster: a copy of one block fills those of all.
mistake("slot released to its own block", "multicast",
        [("mbarrier.init %free, %c2", "mbarrier.init %free, %c1"), ("%both = arith.andi %bit, %c3", f"{OWN_BLOCK}%own = arith.shli %c1, %self : i32\n        %both = arith.andi %bit, %own")],
        LOAD, "in the memory of the block at grid point")
mistake("slot released to its own block twice", "multicast",
        [("llvm.inline_asm", OWN_BLOCK + "llvm.inline_asm"), ("%arrives, %free, %there", "%arrives, %free, %self")],
        LOAD, "wait for the signals of all blocks before the next copy")
mistake("slot of all blocks copied to without a wait", "multicast", [WAIT + " %free"],
        LOAD, "in the memory of the block at grid point")
mistake("slot released to all blocks before it is read", "multicast",
        [READ, ("        nvvm.mbarrier.try_wait.parity %free", f"        {READ}\n{ADD}        nvvm.mbarrier.try_wait.parity %free"), (ADD, "")],
        LOAD, "may still be reading it")
mistake("slot read again behind its release", "multicast",
        [("        scf.yield %next", f"        %again = {READ[5:]}\n        %twice = arith.addf %next, %again : !v\n        scf.yield %twice")],
        LOAD, "may still be reading it")
mistake("slot written behind its release", "multicast",
        [("        scf.yield %next", f"        {WRITE}\n        scf.yield %next")],
        LOAD, "may still be writing it")
mistake("slot written without a meeting of the cluster", "multicast",
        [("      %sum = scf.for", f"      {WRITE}\n      %sum = scf.for")],
        LOAD, "may still be writing it")
mistake("copy of all blocks by one of them", "multicast",
        [("        " + LOAD, f"        {OWN_BLOCK}%first0 = arith.cmpi eq, %self, %c0 : i32\n        scf.if %first0 {{\n        mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 8192\n        " + LOAD),
         ("(memref<192x32xf32>, !s, !bar, i32, i32) -> ()", "(memref<192x32xf32>, !s, !bar, i32, i32) -> ()\n        }"), "        mosaic_gpu.arrive_expect_tx"],
        WAIT + " %ready", "deadlock")

# Waits, commits and fences that are missing.
mistake("no wait for the operands", "ring", [WAIT], "mosaic_gpu.wgmma", "may still be writing it")
mistake("no wait for the slots", "specialized", [WAIT + " %pr"], WAIT + " %pc", "deadlock")
mistake("no wait for the rows", "multicast", [WAIT + " %ready"], '"mosaic_gpu.vector_load"', "may still be writing it")
mistake("sum read under way", "ring", ["nvvm.wgmma.wait.group.sync.aligned 0"],
        '"mosaic_gpu.vector_store"(%sum', "may still be writing it")
mistake("sum read with one product under way", "ring", [("wait.group.sync.aligned 0", "wait.group.sync.aligned 1")],
        '"mosaic_gpu.vector_store"(%sum', "reads an accumulator at grid point (0), while 'pallas.wgmma'")
mistake("products not committed", "ring", ["nvvm.wgmma.commit.group.sync.aligned"],
        "mosaic_gpu.wgmma", "is in no group of products when the kernel waits; put nvvm.wgmma.commit.group.sync.aligned behind it")
mistake("no fence of the registers", "ring", ["nvvm.wgmma.fence.aligned"],
        "mosaic_gpu.wgmma", "adds to registers that another operation has written, without a fence; put nvvm.wgmma.fence.aligned in between")
mistake("stored for a copy without a fence", "ring", [FENCE], STORE, "store not committed")
mistake("fence ahead of the store", "stores", [FENCE, ('          "mosaic_gpu.vector_store"(%v', f'          {FENCE}\n          "mosaic_gpu.vector_store"(%v')],
        STORE + "(%slot, %o, %row, %c0) <{commit_group = true", "store not committed")
mistake("result never waited for", "ring", ["nvvm.cp.async.bulk.wait_group 0"], STORE, "copy never waited for")
mistake("result not committed", "ring", [("commit_group = true", "commit_group = false")], STORE, "copy never waited for")
mistake("source overwritten under way", "stores", [("wait_group 1 {read}", "wait_group 2 {read}")],
        '"mosaic_gpu.vector_store"(%v', "may still be reading it")
mistake("source overwritten without a wait", "stores", ["nvvm.cp.async.bulk.wait_group 1 {read}"],
        '"mosaic_gpu.vector_store"(%v', "may still be reading it")
mistake("no group of copies", "stores", ["nvvm.cp.async.bulk.commit.group"],
        '"mosaic_gpu.vector_store"(%ones', "may still be reading it")
mistake("last copy not waited for", "stores", [("wait_group 0", "wait_group 1")],
        STORE, "copy never waited for")
mistake("barriers used without a fence", "specialized", ["nvvm.fence.mbarrier.init"],
        WAIT + " %pc", "without a fence that shows it to copies and other blocks; put nvvm.fence.mbarrier.init in between")
mistake("barriers used before the block meets", "specialized", ["      gpu.barrier"],
        WAIT + " %pc", "without a meeting of the block, whose other threads wait there; put gpu.barrier in between")
mistake("barriers used before the cluster meets", "multicast", ["nvvm.cluster.arrive.relaxed", "nvvm.cluster.wait"],
        "mosaic_gpu.arrive_expect_tx", "without a meeting of the cluster, whose blocks arrive there")

# Tensor memory.
mistake("operands overwritten under way", "tensor", [WAIT + " %done"], LOAD + "(%x", "while 'pallas.tcgen05_mma'")
mistake("commit ahead of the product", "tensor", [COMMIT, ('        "mosaic_gpu.tcgen05_mma"', f'        {COMMIT}\n        "mosaic_gpu.tcgen05_mma"')],
        LOAD + "(%x", "while 'pallas.tcgen05_mma'")
mistake("arrival in place of a commit", "tensor", [('"mosaic_gpu.tcgen05_commit_arrive"(%d) <{collective = false}>', '"mosaic_gpu.arrive"(%d) <{orders_tensor_core = true}>')],
        LOAD + "(%x", "while 'pallas.tcgen05_mma'")
mistake("no commit", "tensor", [COMMIT], WAIT + " %done", "waits for arrival 1 at a barrier, which has seen 0")
mistake("adds to what nothing has written", "tensor", [("arith.cmpi ne, %step, %c0", "arith.cmpi sge, %step, %c0")],
        '"mosaic_gpu.tcgen05_mma"', "uninitialised read")
mistake("read before its store has ended", "tensor", ["nvvm.tcgen05.wait <store>"],
        '"mosaic_gpu.async_load_tmem"(%bias', "while 'pallas.async_store_tmem'")
mistake("overwritten before its load has ended", "tensor", ["nvvm.tcgen05.wait <load>"],
        '"mosaic_gpu.async_store_tmem"(%sum', "while 'pallas.async_load_tmem'")
mistake("no fence behind the wait", "tensor", ["nvvm.tcgen05.fence <after>"],
        '"mosaic_gpu.async_store_tmem"(%ones', "without a fence; put nvvm.tcgen05.fence <after> behind the wait")
mistake("columns not freed", "tensor", ["mosaic_gpu.tmem_dealloc"],
        "mosaic_gpu.tmem_alloc", "never frees it")
mistake("columns in use twice", "tensor", [("offset = 64 : i32", "offset = 32 : i32")],
        '"mosaic_gpu.slice_tmem"(%columns) <{offset = 32', "shares columns 32 to 64 of tensor memory with another slice that is in use at the same time")
mistake("columns behind the allocation", "tensor", [("offset = 64 : i32", "offset = 96 : i32")],
        '"mosaic_gpu.slice_tmem"(%columns) <{offset = 96', "ends at column 160 of an allocation of 128; allocate more columns")

# Answers to questions for more work. The other warpgroup comes to a question or an answer first.
EXPECT, ASK, QUERY = "mosaic_gpu.arrive_expect_tx barrier(%b : !bar) 16", '"mosaic_gpu.try_cluster_cancel"', '"mosaic_gpu.query_cluster_cancel"'
WAIT_FIRST = WAIT + " %p, %c0, %ticks : !llvm.ptr<3>, i32, i32"
SELECT = "arith.select %found2, %x2, %work1"
mistake("no wait for the first answer", "launch", [WAIT_FIRST], QUERY, "may still be writing it")
mistake("no wait for the second answer", "launch", [WAIT + " %q, %c0"], ASK, "while 'pallas.query_cluster_cancel'")
mistake("answer waited for by one warpgroup", "launch", [(WAIT_FIRST, f"scf.if %isfirst {{\n      {WAIT_FIRST}\n      }}")],
        QUERY, "which nothing has written")
mistake("phase 1 of an answer in place of 0", "launch", [(WAIT + " %q, %c0", WAIT + " %q, %c1")],
        WAIT + " %q", "waits for arrival 4 at a barrier, which has seen 2")
mistake("first answer waited for at the barrier of the second", "launch", [(WAIT + " %p, %c0", WAIT + " %q, %c0")],
        WAIT, "waits for arrival 2 at a barrier, which has seen 0")
mistake("answer written again before all have read it", "launch", [("%own : i32\n      gpu.barrier", "%own : i32")], QUERY, "may still be writing it")
mistake("no bytes expected for an answer", "launch", [EXPECT], ASK, "brings 16 bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in front of it expects them")
mistake("half of an answer expected", "launch", [(EXPECT, EXPECT[:-2] + "8")], ASK, "brings 16 bytes to a barrier where 8 are expected; expect 16")
mistake("an answer arrives for one warpgroup of two", "launch", ['"mosaic_gpu.arrive"(%b)'], WAIT, "waits for arrival 2 at a barrier, which has seen 1")
mistake("a third warpgroup is to arrive for an answer", "launch", [("arrival_count = 2", "arrival_count = 3")], WAIT, "waits for arrival 3 at a barrier, which has seen 2")
mistake("index of an answer without work", "launch", [(SELECT, "arith.addi %x2, %c0")], QUERY, "reads the index of work that was not found")
mistake("index of an answer chosen by the wrong flag", "launch", [(SELECT, "arith.select %found2, %work1, %x2")], QUERY, "reads the index of work that was not found")
mistake("answer read before the question", "launch",
        [("      llvm.inline_asm", f"      %x0, %y0, %z0, %found0 = {QUERY}(%m) : (!answer) -> (i32, i32, i32, i1)\n      llvm.inline_asm"), ("%found1, %x1", "%found0, %x1")],
        ASK, "which nothing has written")

# Shared memory.
mistake("slots in use twice", "specialized", [("offset = 16384", "offset = 8192")],
        '"mosaic_gpu.slice_smem"() <{offset = 8192', "shares bytes 8192 to 16384 of shared memory with another slice that is in use at the same time")
mistake("slots of both warpgroups in one place", "stores", [("offset = 16384", "offset = 0")],
        '"mosaic_gpu.vector_store"(%ones', "data race")
mistake("barriers in use twice", "specialized", [("offset = 32784", "offset = 32776")],
        '"mosaic_gpu.slice_smem"() <{offset = 32776', "holds bytes 32776 to 32792 of shared memory, of which barriers have 32768 to 32784; move it behind them")
mistake("barriers among the slots", "specialized", [("offset = 32784", "offset = 32752")],
        '"mosaic_gpu.slice_smem"() <{offset = 16384', "of which barriers have 32752 to 32768")
mistake("barriers behind the end", "specialized", [("arith.constant 32800", "arith.constant 32792")],
        '"mosaic_gpu.slice_smem"() <{offset = 32784', "ends at byte 32800, but the launch asks for 32792 bytes of shared memory; ask for more")


def run(name, text, kernel, *options):
  path = f"{work}/{name.replace(' ', '_')}.mlir"
  with open(path, "w") as file:
    file.write(text)
  command = ["pallas-run", path, "--no-cache", *options]
  for i, array in enumerate(kernel.arrays):
    np.save(f"{work}/in{i}.npy", array)
    command += ["--in", f"{work}/in{i}.npy"]
  for i in range(len(kernel.results)):
    command += ["--out", f"{work}/out{i}.npy"]
  done = subprocess.run(command, capture_output=True, text=True, timeout=120)
  return done.returncode, done.stderr


def read(kernel):
  with open(f"{inputs}/{kernel}.mlir") as file:
    return file.read()


def check_kernel(name):
  """It is right, and silent where it is checked."""
  kernel = KERNELS[name]
  for options in [], ["--check"]:
    status, report = run(name, read(name), kernel, *options)
    assert (status, report) == (0, ""), report
    for i, result in enumerate(kernel.results):
      np.testing.assert_array_equal(np.load(f"{work}/out{i}.npy"), result)


def check_mistake(name):
  kernel, edits, at, says = MISTAKES[name]
  text = edited(read(kernel), edits)
  status, report = run(name, text, KERNELS[kernel], "--check")
  assert status == 1, f"exit status {status}: {report}"
  place = re.search(r'\.mlir"?:(\d+):\d+', report)
  assert place, report
  line = re.sub(r"^%[\w, %]+ = ", "", text.split("\n")[int(place[1]) - 1].strip())
  assert line.startswith(at), f"at '{line}': {report}"
  assert says in report, report


def main():
  known = {name: check_kernel for name in KERNELS} | {name: check_mistake for name in MISTAKES}
  failed = []
  selected = cases.select(known)
  for name, check in selected.items():
    try:
      check(name)
    except AssertionError as error:
      failed.append(name)
      print(f"{name}: {error}")
  cases.finish(len(selected), failed)


main()
