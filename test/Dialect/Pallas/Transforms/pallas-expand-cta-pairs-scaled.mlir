// RUN: pallas-opt %s --pallas-expand-cta-pairs | FileCheck %s

// Each block copies its own scales. Products take the scales of their rows, and
// of half of the columns.
// CHECK-LABEL: func.func @scaled
// CHECK: scf.if
// CHECK: pallas.async_copy_to_tmem scales %{{.*}} to %{{.*}} :
// CHECK-COUNT-2: pallas.cluster_ref
// CHECK: pallas.async_copy_to_tmem scales %{{.*}} to %{{.*}} :
// CHECK: scf.if
// CHECK: pallas.slice_ref %{{.*}}[ds(0, 64), :] : !pallas.ref<128x4xf8E8M0FNU, tmem>
// CHECK: pallas.tcgen05_mma {{.*}} scales(%{{.*}} : !pallas.ref<128x4xf8E8M0FNU, tmem>, %{{.*}} : !pallas.ref<64x4xf8E8M0FNU, tmem>)
// CHECK: pallas.slice_ref %{{.*}}[ds(64, 64), :] : !pallas.ref<128x4xf8E8M0FNU, tmem>
// CHECK-COUNT-3: pallas.tcgen05_mma
// CHECK-NOT: collective

!scales = !pallas.ref<128x4xf8E8M0FNU, tmem>

func.func @scaled() {
  pallas.core_map <gpu, [<cluster "c" = 2>]> (%acc: !pallas.ref<128x128xf32, tmem>, %a: !pallas.ref<128x128xf8E4M3FN, smem>, %b: !pallas.ref<128x64xf8E4M3FN, smem>, %t: !pallas.ref<1x1x32x16xf8E8M0FNU, smem>, %l: !scales, %r: !scales) {
    %false = arith.constant false
    pallas.async_copy_to_tmem scales %t to %l collective "c" : !pallas.ref<1x1x32x16xf8E8M0FNU, smem>, !scales
    pallas.tcgen05_mma %acc, %a, %b accumulate %false scales(%l : !scales, %r : !scales) collective "c"
        : !pallas.ref<128x128xf32, tmem>, !pallas.ref<128x128xf8E4M3FN, smem>, !pallas.ref<128x64xf8E4M3FN, smem>
  }
  return
}
