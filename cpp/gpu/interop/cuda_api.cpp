#include "gpu/interop/cuda_api.hpp"

#include <dlfcn.h>

#include <initializer_list>
#include <optional>

namespace metalmom::gpu::cuda {

namespace {

// The library that this process has loaded already, or else the first that is found. Never closed,
// as it keeps threads of its own.
class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) : name_(*names.begin()) {
    for (const int how : {RTLD_NOLOAD, 0})
      for (const char* name : names)
        if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL | how);
    if (!handle_) throw NotShareable(std::string(name_) + " cannot be opened");
  }

  template <class Function>
  void get(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function) throw NotShareable(std::string(name_) + " has no " + name);
  }

 private:
  const char* name_;
  void* handle_ = nullptr;
};

Api load(Runtime runtime) {
  const bool is_hip = runtime == Runtime::hip;
  // PyTorch's wheels and Linux distributions name HIP's library differently.
  Library library = is_hip ? Library({"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"})
                           : Library({"libcuda.so.1"});
  Api api{};
  api.runtime = runtime;
  const auto get = [&](const char* cuda_name, const char* hip_name, auto& function) {
    library.get(is_hip ? hip_name : cuda_name, function);
  };
  get("cuInit", "hipInit", api.init);
  get("cuGetErrorName", "hipDrvGetErrorName", api.error_name);
  get("cuDeviceGetCount", "hipGetDeviceCount", api.device_count);
  get("cuDeviceGet", "hipDeviceGet", api.device_get);
  get("cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId", api.pci_address);
  get("cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain", api.retain_primary_context);
  get("cuCtxPushCurrent_v2", "hipCtxPushCurrent", api.push_context);
  get("cuCtxPopCurrent_v2", "hipCtxPopCurrent", api.pop_context);
  get("cuImportExternalMemory", "hipImportExternalMemory", api.import_memory);
  get("cuExternalMemoryGetMappedBuffer", "hipExternalMemoryGetMappedBuffer", api.map_memory);
  get("cuMemFree_v2", "hipFree", api.free_address);
  get("cuDestroyExternalMemory", "hipDestroyExternalMemory", api.destroy_memory);
  get("cuPointerGetAttribute", "hipPointerGetAttribute", api.pointer_attribute);
  get("cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", api.copy);
  get("cuStreamCreate", "hipStreamCreateWithFlags", api.create_stream);
  get("cuStreamSynchronize", "hipStreamSynchronize", api.synchronize);
  get("cuStreamQuery", "hipStreamQuery", api.query);
  get("cuStreamIsCapturing", "hipStreamIsCapturing", api.is_capturing);
  get("cuThreadExchangeStreamCaptureMode", "hipThreadExchangeStreamCaptureMode",
      api.exchange_capture_mode);
  get("cuStreamWaitEvent", "hipStreamWaitEvent", api.wait_event);
  get("cuEventCreate", "hipEventCreateWithFlags", api.create_event);
  get("cuEventRecord", "hipEventRecord", api.record_event);
  if (is_hip) return api;
  library.get("cuDeviceGetUuid_v2", api.device_uuid);
  library.get("cuImportExternalSemaphore", api.import_semaphore);
  library.get("cuSignalExternalSemaphoresAsync", api.signal_semaphores);
  return api;
}

}  // namespace

const Api& api(Runtime runtime) {
  if (runtime == Runtime::hip) {
    static const Api hip = load(Runtime::hip);
    return hip;
  }
  static const Api cuda = load(Runtime::cuda);
  return cuda;
}

void check(const Api& api, Result result, const char* call) {
  if (result == 0) [[likely]]
    return;
  const char* name = nullptr;
  if (api.error_name(result, &name) != 0 || !name) name = "unknown error";
  const bool is_hip = api.runtime == Runtime::hip;
  const std::string called = is_hip ? "hip" + std::string(call).substr(2) : call;
  throw NotShareable(called + " answers " + name);
}

}  // namespace metalmom::gpu::cuda
