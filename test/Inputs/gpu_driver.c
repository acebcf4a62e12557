// A mock of the driver of NVIDIA's GPUs: JAX's compiler asks it for the GPU,
// and loads compiled code into it. The environment gives GPU_CAPABILITY, for
// example 9.0.

#include <stdlib.h>
#include <string.h>

typedef int Result;

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

Result cuModuleLoadData(void **module, const void *image) {
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
