#include "bridge/sources.hpp"
#include "bridge/gil.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "bridge/params.hpp"
#include "io/read_ahead.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

namespace {

// Holds a Python object and takes the GIL to drop it: a source may die on any thread.
class Held {
 public:
  explicit Held(py::object object) : object_(std::move(object)) {}
  Held(Held&&) = default;
  ~Held() {
    if (!object_) return;
    const GilTaken locked;
    bear_exit([this] { object_ = py::object(); });
  }
  const py::object& get() const { return object_; }

 private:
  py::object object_;
};

void require_bytes(const py::object& read) {
  if (!PyBytes_Check(read.ptr()))
    throw py::type_error("a file object must be opened in binary mode: read() returned " +
                         std::string(Py_TYPE(read.ptr())->tp_name));
}

// A Python file object from its present position on. Reading takes the GIL, so it reads ahead to do
// that seldom.
class FileObject final : public io::Source {
 public:
  explicit FileObject(const py::object& file) : file_(file) {
    base_ = py::cast<std::int64_t>(file.attr("tell")());
    size_ = py::cast<std::int64_t>(seek(0, SEEK_END)) - base_;
    seek(base_, SEEK_SET);
  }

  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    return ahead_.read(offset, into, [this](std::int64_t place, std::span<std::byte> to) {
      return fetch(place, to);
    });
  }
  std::int64_t size() override { return size_; }

 private:
  py::object seek(std::int64_t offset, int whence) const {
    file_.get().attr("seek")(offset, whence);
    return file_.get().attr("tell")();
  }

  std::size_t fetch(std::int64_t place, std::span<std::byte> to) {
    const GilTaken locked;
    const py::object read = bear_exit([&] {
      if (place != position_) seek(base_ + place, SEEK_SET);
      return file_.get().attr("read")(to.size());
    });
    require_bytes(read);
    const auto count = std::min(static_cast<std::size_t>(PyBytes_GET_SIZE(read.ptr())), to.size());
    std::memcpy(to.data(), PyBytes_AS_STRING(read.ptr()), count);
    position_ = place + static_cast<std::int64_t>(count);
    return count;
  }

  Held file_;
  io::ReadAhead ahead_;
  std::int64_t base_ = 0, size_ = 0, position_ = 0;
};

// Encoded bytes in an object with the buffer protocol, which stays locked meanwhile.
class EncodedBytes final : public io::Source {
 public:
  explicit EncodedBytes(const py::object& object) : view_(py::memoryview(object)) {
    const Py_buffer* buffer = PyMemoryView_GET_BUFFER(view_.get().ptr());
    if (!PyBuffer_IsContiguous(buffer, 'C')) throw py::type_error("bytes must be contiguous");
    bytes_ = io::from_memory(
        {static_cast<const std::byte*>(buffer->buf), static_cast<std::size_t>(buffer->len)});
  }
  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    return bytes_->read(offset, into);
  }
  std::int64_t size() override { return bytes_->size(); }
  std::unique_ptr<io::Source> clone() const override { return bytes_->clone(); }

 private:
  Held view_;
  std::unique_ptr<io::Source> bytes_;
};

// Whether an object is encoded bytes: not a str, and not an array of numbers, whose buffer is no
// file.
bool is_buffer_of_bytes(const py::object& object) {
  if (PyUnicode_Check(object.ptr()) || !PyObject_CheckBuffer(object.ptr())) return false;
  const py::memoryview view(object);
  const std::string format = view.attr("format").cast<std::string>();
  return format == "B" || format == "b" || format == "c";
}

bool is_encoded(const py::object& object) {
  if (!PyBytes_Check(object.ptr())) return is_buffer_of_bytes(object);
  const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr()));
  return std::memchr(PyBytes_AS_STRING(object.ptr()), 0, size) != nullptr;
}

bool is_path(const py::object& object) {
  return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
         py::hasattr(object, "__fspath__");
}

bool can_seek(const py::object& file) {
  if (!py::hasattr(file, "seek") || !py::hasattr(file, "tell")) return false;
  return !py::hasattr(file, "seekable") || py::cast<bool>(py::bool_(file.attr("seekable")()));
}

// Reads a pipe or a socket to its end: decoders seek, so all of it must be in memory.
py::object read_to_end(const py::object& file) {
  constexpr std::int64_t part = 1 << 20;
  const auto all = py::reinterpret_steal<py::object>(PyByteArray_FromStringAndSize(nullptr, 0));
  for (;;) {
    const py::object read = file.attr("read")(part);
    require_bytes(read);
    if (PyBytes_GET_SIZE(read.ptr()) == 0) return all;
    all.attr("extend")(read);
  }
}

std::string name_of(const py::object& object) {
  const py::object name = py::getattr(object, "name", py::none());
  if (PyUnicode_Check(name.ptr()) || PyBytes_Check(name.ptr()))
    return py::cast<std::string>(py::repr(name));
  return "the " + std::string(Py_TYPE(object.ptr())->tp_name) + " object";
}

}  // namespace

NamedSource to_source(const py::object& object) {
  if (is_encoded(object)) return {std::make_unique<EncodedBytes>(object), "the encoded audio"};
  if (is_path(object)) {
    PyObject* encoded = nullptr;
    if (!PyUnicode_FSConverter(object.ptr(), &encoded)) throw py::error_already_set();
    const auto path = py::reinterpret_steal<py::bytes>(encoded).cast<std::string>();
    const GilReleased unlocked;
    return {io::open_file(path), path};
  }
  if (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr())) {
    const auto descriptor = scalar_from<Index>(object, "path", Range{.rule = "an open descriptor"});
    require(descriptor >= 0 && descriptor <= std::numeric_limits<int>::max(), "path", descriptor,
            "an open descriptor");
    const std::string name = "descriptor " + std::to_string(descriptor);
    const GilReleased unlocked;
    return {io::from_descriptor(Descriptor(static_cast<int>(descriptor)), name), name};
  }
  if (py::hasattr(object, "read")) {
    if (can_seek(object)) return {std::make_unique<FileObject>(object), name_of(object)};
    return {std::make_unique<EncodedBytes>(read_to_end(object)), name_of(object)};
  }
  throw py::type_error("path=" + text_of(object) +
                       " must be a path, a descriptor, a binary file object or encoded bytes");
}

}  // namespace metalmom::bridge
