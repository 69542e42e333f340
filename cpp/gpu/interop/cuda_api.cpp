#include "gpu/interop/cuda_api.hpp"

#include <dlfcn.h>

#include <optional>

#include "gpu/sharing.hpp"

namespace metalmom::gpu::cuda {

namespace {

constexpr const char* library_name = "libcuda.so.1";

class Library {
 public:
  explicit Library(void* handle) : handle_(handle) {}

  Api load() {
    Api api;
    get("cuInit", api.init);
    get("cuGetErrorName", api.error_name);
    get("cuDeviceGetCount", api.device_count);
    get("cuDeviceGet", api.device_get);
    get("cuDeviceGetUuid_v2", api.device_uuid);
    get("cuDevicePrimaryCtxRetain", api.retain_primary_context);
    get("cuCtxPushCurrent_v2", api.push_context);
    get("cuCtxPopCurrent_v2", api.pop_context);
    get("cuImportExternalMemory", api.import_memory);
    get("cuExternalMemoryGetMappedBuffer", api.map_memory);
    get("cuMemFree_v2", api.free_address);
    get("cuDestroyExternalMemory", api.destroy_memory);
    get("cuPointerGetAttribute", api.pointer_attribute);
    get("cuMemcpyDtoDAsync_v2", api.copy);
    get("cuImportExternalSemaphore", api.import_semaphore);
    get("cuSignalExternalSemaphoresAsync", api.signal_semaphores);
    get("cuStreamCreate", api.create_stream);
    get("cuStreamSynchronize", api.synchronize);
    get("cuStreamQuery", api.query);
    get("cuStreamIsCapturing", api.is_capturing);
    get("cuThreadExchangeStreamCaptureMode", api.exchange_capture_mode);
    get("cuStreamWaitEvent", api.wait_event);
    get("cuEventCreate", api.create_event);
    get("cuEventRecord", api.record_event);
    return api;
  }

 private:
  template <class Function>
  void get(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function) throw NotShareable(std::string(library_name) + " has no " + name);
  }
  void* handle_;
};

}  // namespace

const Api& api() {
  static const Api loaded = [] {
    // Never closed, as it keeps threads of its own.
    void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw NotShareable(std::string(library_name) + " cannot be opened");
    return Library(library).load();
  }();
  return loaded;
}

void check(const Api& api, Result result, const char* call) {
  if (result == 0) [[likely]]
    return;
  const char* name = nullptr;
  if (api.error_name(result, &name) != 0 || !name) name = "unknown error";
  throw NotShareable(std::string(call) + " answers " + name);
}

}  // namespace metalmom::gpu::cuda
