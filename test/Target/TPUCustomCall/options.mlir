// Options of lowering are refused where nothing is lowered.
// RUN: not pallas-translate --to-stable-mosaic --chip=v6e %s 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not pallas-translate --from-stable-mosaic --verify-each %s 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: not pallas-translate --to-tpu-custom-call --chip=v6e %s 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: not pallas-translate --to-stable-mosaic --libtpu=0.0.52 %s 2>&1 | FileCheck %s --check-prefix=LIBTPU
// RUN: not pallas-translate --to-tpu-custom-call --libtpu=0.0.42 %s 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not pallas-translate --to-tpu-custom-call --libtpu=newest %s 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: not pallas-translate --to-stable-mosaic --from-stable-mosaic %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not pallas-translate --to-stable-mosaic=new %s 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not pallas-translate %t.missing --to-stable-mosaic 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not pallas-translate %s --to-stable-mosaic -o %t.missing/a 2>&1 | FileCheck %s --check-prefix=OUTPUT

// FORMAT: pallas-translate: --chip is for kernels that --to-tpu-custom-call lowers, but another format is named; leave it out
// EACH: pallas-translate: --verify-each is for kernels that --to-tpu-custom-call lowers, but another format is named; leave it out
// LOWERED: pallas-translate: --chip is for kernels that --to-tpu-custom-call lowers, but the module has been lowered; leave it out
// LIBTPU: pallas-translate: --libtpu is for --to-tpu-custom-call, but another format is named; leave it out
// OLD: pallas-translate: '0.0.42' is no release of libtpu from 0.0.42.1 on
// RELEASE: pallas-translate: 'newest' is no release of libtpu from 0.0.42.1 on
// TWO: pallas-translate: more than one format is named
// VERSION: pallas-translate: 'new' is not a version number
// MISSING: pallas-translate: cannot open input file '{{.*}}.missing': No such file or directory
// OUTPUT: pallas-translate: cannot open output file '{{.*}}.missing/a': No such file or directory

module attributes {tpu.custom_call = {}} {
}
