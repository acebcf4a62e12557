/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls one kernel with arrays from files, for machines that have no
   pallas-run. Arguments, per array: '<' to read it or '>' to write it, its
   file, its bytes, and its sizes with commas between. ENTRY is the kernel's
   packed function. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ENTRY(void **descriptors);

/* A memref descriptor: two pointers, an offset, sizes, then strides. */
static int64_t *describe(void *data, const char *sizes) {
  int64_t *words = calloc(3 + 2 * strlen(sizes) + 2, sizeof(int64_t));
  int rank = 0;
  words[0] = words[1] = (int64_t)(intptr_t)data;
  for (const char *at = sizes; *at;) {
    char *end;
    words[3 + rank++] = strtoll(at, &end, 10);
    at = *end == ',' ? end + 1 : end;
  }
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    words[3 + rank + d] = stride;
    stride *= words[3 + d];
  }
  return words;
}

int main(int argc, char **argv) {
  void *descriptors[64], *buffers[64];
  int count = 0;
  for (int i = 1; i + 3 < argc; i += 4, ++count) {
    size_t bytes = strtoull(argv[i + 2], NULL, 10);
    char *data = buffers[count] = aligned_alloc(64, (bytes + 64) / 64 * 64);
    FILE *file = *argv[i] == '<' ? fopen(argv[i + 1], "rb") : NULL;
    if (file && fread(data, 1, bytes, file) != bytes)
      return 1;
    if (file)
      fclose(file);
    descriptors[count] = describe(data, argv[i + 3]);
  }
  ENTRY(descriptors);
  for (int i = 1, k = 0; i + 3 < argc; i += 4, ++k) {
    if (*argv[i] != '>')
      continue;
    size_t bytes = strtoull(argv[i + 2], NULL, 10);
    FILE *file = fopen(argv[i + 1], "wb");
    if (!file || fwrite(buffers[k], 1, bytes, file) != bytes || fclose(file))
      return 1;
  }
  return 0;
}
