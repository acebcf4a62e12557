/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls one kernel with arrays from files, where no compiler is. Arguments are
   the mesh and the number of devices, or `-` and 1, and then, per array of the
   first device, of the second one and so on: '<' to read it or '>' to write it,
   its file, its bytes, and its sizes with commas between. ENTRY is the kernel's
   packed function. */

#include "pallas-c/Runtime.h"
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
  void *descriptors[256], *buffers[256], **devices[64];
  int count = 0, numDevices = atoi(argv[2]);
  for (int i = 3; i + 3 < argc; i += 4, ++count) {
    size_t bytes = strtoull(argv[i + 2], NULL, 10);
    char *data = buffers[count] = aligned_alloc(64, (bytes + 64) / 64 * 64);
    FILE *file = *argv[i] == '<' ? fopen(argv[i + 1], "rb") : NULL;
    if (file && fread(data, 1, bytes, file) != bytes)
      return 1;
    if (file)
      fclose(file);
    descriptors[count] = describe(data, argv[i + 3]);
  }
  for (int i = 0; i < numDevices; ++i)
    devices[i] = descriptors + count / numDevices * i;
  char *error = *argv[1] == '-'
                    ? pallasRuntimeCall(&ENTRY, descriptors)
                    : pallasRuntimeCallOnDevices(&ENTRY, argv[1], devices);
  if (error) {
    fprintf(stderr, "error: %s\n", error);
    free(error);
    return 1;
  }
  for (int i = 3, k = 0; i + 3 < argc; i += 4, ++k) {
    if (*argv[i] != '>')
      continue;
    size_t bytes = strtoull(argv[i + 2], NULL, 10);
    FILE *file = fopen(argv[i + 1], "wb");
    if (!file || fwrite(buffers[k], 1, bytes, file) != bytes || fclose(file))
      return 1;
  }
  return 0;
}
