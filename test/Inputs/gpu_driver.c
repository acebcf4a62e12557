// A mock of the driver of NVIDIA's GPUs: JAX's compiler asks it for the GPU,
// and loads compiled code into it. The environment gives GPU_CAPABILITY, for
// example 9.0.
//
// With GPU_LAUNCH it notes what a kernel's host code does, as one JSON object a
// line: the tensor maps that it makes, and the launch. GPU_PARAMETERS has the
// bytes of each parameter, GPU_IMAGE a file for the machine code.

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;

static char kMock;

static int capability(int isMinor) {
  const char *text = getenv("GPU_CAPABILITY");
  const char *point = text ? strchr(text, '.') : NULL;
  if (isMinor)
    return point ? atoi(point + 1) : 0;
  return text ? atoi(text) : 9;
}

Result cuInit(unsigned flags) { return flags ? 1 : 0; }

Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}

Result cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

Result cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}

// Numbers of attributes are those of cuda.h.
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  enum {
    CapabilityMajor = 75,
    CapabilityMinor = 76,
    SharedMemory = 97,
    Multicast = 132
  };
  *value = attribute == CapabilityMajor   ? capability(0)
           : attribute == CapabilityMinor ? capability(1)
           : attribute == SharedMemory    ? 232448
           : attribute == Multicast       ? 1
                                          : 0;
  return device;
}

// Images come without their size. Sections and tables may be in any order.
static size_t getImageSize(const unsigned char *image) {
  const Elf64_Ehdr *header = (const void *)image;
  const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
  size_t size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
  size_t programs = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
  if (size < programs)
    size = programs;
  for (int i = 0; i < header->e_shnum; ++i) {
    size_t end = sections[i].sh_offset + sections[i].sh_size;
    if (sections[i].sh_type != SHT_NOBITS && size < end)
      size = end;
  }
  return size;
}

Result cuModuleLoadData(void **module, const void *image) {
  const char *path = getenv("GPU_IMAGE");
  FILE *file = path ? fopen(path, "wb") : NULL;
  if (file) {
    fwrite(image, 1, getImageSize(image), file);
    fclose(file);
  }
  *module = (void *)image;
  return 0;
}

Result cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                          void *options, void **values) {
  (void)options, (void)values;
  return count ? 1 : cuModuleLoadData(module, image);
}

Result cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return *name ? 0 : 1;
}

Result cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return 0;
}

Result cuGetErrorString(Result error, const char **text) {
  *text = error ? "the mock of the driver takes this call in one way only"
                : "no error";
  return 0;
}

Result cuGetErrorName(Result error, const char **text) {
  return cuGetErrorString(error, text);
}

// What host code does

static FILE *openNotes(void) {
  const char *path = getenv("GPU_LAUNCH");
  return path ? fopen(path, "a") : NULL;
}

static void writeNumbers(FILE *file, const char *name, const void *numbers,
                         unsigned count, unsigned bytes) {
  fprintf(file, "\"%s\": [", name);
  for (unsigned i = 0; i < count; ++i) {
    uint64_t number = 0;
    memcpy(&number, (const char *)numbers + i * bytes, bytes);
    fprintf(file, "%s%llu", i ? ", " : "", (unsigned long long)number);
  }
  fprintf(file, "], ");
}

// The map itself becomes its number behind a word that a parameter has nowhere
// else.
Result cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                              const uint64_t *sizes, const uint64_t *strides,
                              const uint32_t *box, const uint32_t *steps,
                              int interleave, int swizzle, int promotion,
                              int fill) {
  static uint64_t count = 0;
  FILE *file = openNotes();
  if (file) {
    int kinds[] = {type, interleave, swizzle, promotion, fill};
    fprintf(file, "{\"call\": \"map\", ");
    writeNumbers(file, "sizes", sizes, rank, 8);
    writeNumbers(file, "strides", strides, rank - 1, 8);
    writeNumbers(file, "box", box, rank, 4);
    writeNumbers(file, "steps", steps, rank, 4);
    writeNumbers(file, "kinds", kinds, 5, 4);
    fprintf(file, "\"address\": %llu}\n",
            (unsigned long long)(uintptr_t)address);
    fclose(file);
  }
  memset(map, 0, 128);
  memcpy(map, "tensormap", 8);
  memcpy((char *)map + 8, &count, sizeof(count));
  ++count;
  return 0;
}

struct Launch {
  uint32_t grid[3], block[3], sharedBytes;
  void *stream;
  struct {
    uint32_t id, padding, value[16];
  } *attributes;
  uint32_t numAttributes;
};

Result cuLaunchKernelEx(const struct Launch *launch, void *function,
                        void **parameters, void **extra) {
  const uint32_t one[] = {1, 1, 1}, *cluster = one;
  (void)extra;
  for (uint32_t i = 0; i < launch->numAttributes; ++i)
    if (launch->attributes[i].id == 4)
      cluster = launch->attributes[i].value;
  FILE *file = openNotes();
  if (!file)
    return function ? 0 : 1;
  fprintf(file, "{\"call\": \"launch\", ");
  writeNumbers(file, "grid", launch->grid, 3, 4);
  writeNumbers(file, "block", launch->block, 3, 4);
  writeNumbers(file, "cluster", cluster, 3, 4);
  fprintf(file, "\"shared\": %u, \"parameters\": [", launch->sharedBytes);
  const char *sizes = getenv("GPU_PARAMETERS");
  for (int i = 0; sizes && *sizes; ++i) {
    long size = strtol(sizes, (char **)&sizes, 10);
    sizes += *sizes == ',';
    fprintf(file, "%s\"", i ? ", " : "");
    for (long k = 0; k < size; ++k)
      fprintf(file, "%02x", ((const unsigned char *)parameters[i])[k]);
    fprintf(file, "\"");
  }
  fprintf(file, "]}\n");
  fclose(file);
  return 0;
}

// Memory of the host is that of the device, and kernels do nothing.

Result cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &kMock;
  return device;
}

Result cuCtxSetCurrent(void *context) { return context == &kMock ? 0 : 1; }

Result cuCtxSynchronize(void) { return 0; }

Result cuMemAlloc_v2(uint64_t *address, size_t size) {
  *address = (uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256);
  return *address ? 0 : 2;
}

Result cuMemsetD8_v2(uint64_t address, unsigned char value, size_t size) {
  memset((void *)(uintptr_t)address, value, size);
  return 0;
}

Result cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  memcpy((void *)(uintptr_t)to, from, size);
  return 0;
}

Result cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  memcpy(to, (const void *)(uintptr_t)from, size);
  return 0;
}
