// The GIL, let go and taken back, also by threads that outlive the interpreter.
//
// When Python ends it does not wait for daemon threads, nor, after a second Ctrl-C, for others. One
// that asks for the GIL then is ended by Python (before 3.14) with pthread_exit, which unwinds the
// stack as an exception would. A destructor lets no exception out, and work that is shared among
// threads collects them: either would abort the whole process. Here such a thread sleeps instead,
// as newer Pythons have it, until the process is gone.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

namespace vest {

namespace py = pybind11;

/// Whether the interpreter has begun to end: nobody but the thread that ends it gets the GIL.
[[nodiscard]] inline bool python_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

/// Calls `take`, which waits for the GIL; sleeps for good if Python ends the thread in it.
template <class Take>
void take_gil(Take&& take) noexcept {
  try {
    take();
  } catch (...) {  // only pthread_exit throws here, and what it throws must not end in a handler
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

/// Lets other Python threads run while it lives.
class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease() {
    take_gil([this] { PyEval_RestoreThread(thread_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* thread_;
};

/// Holds the GIL while it lives, whether or not the thread had it before.
class GilHold {
 public:
  GilHold() {
    take_gil([this] { state_ = PyGILState_Ensure(); });
  }
  ~GilHold() { PyGILState_Release(state_); }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

 private:
  PyGILState_STATE state_{};
};

}  // namespace vest
