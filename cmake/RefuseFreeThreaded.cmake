# The bindings rely on the interpreter's lock, which a free-threaded CPython ("t" in the ABI's name) does not have.
if(Python_SOABI MATCHES "^cpython-[0-9]+t")
  message(FATAL_ERROR "metalmom does not support free-threaded CPython (${Python_SOABI}); build it for an "
    "interpreter with the global lock")
endif()
