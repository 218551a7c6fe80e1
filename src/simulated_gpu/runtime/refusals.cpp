// What is refused. A refused launch leaves memory unwritten that the program takes for written, so it must not get lost:
// the operator around it raises, or where there is none, every call that comes after it, as after an asynchronous error.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <string>
#include <unistd.h>

#include "state.h"

namespace {

std::atomic<uint64_t> unclaimed{0};
std::atomic<bool> refusing{true};

thread_local int depth = 0;
thread_local uint64_t launched = 0;

thread_local std::string refusal;  // what was refused last on this thread
thread_local bool refused = false;

thread_local int guards = 0;       // spans whose end raises what was lost within
thread_local std::string lost;
thread_local bool lost_something = false;

thread_local int probes = 0;       // spans that end at the first use of the device
thread_local bool stopped = false;

std::atomic<const std::string *> lost_for_good{nullptr};

// "_Z4scalePfi" is "scale(float*, int)".
std::string readable(const char *name) {
    int status = 0;
    char *demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = status == 0 && demangled ? demangled : name;
    std::free(demangled);
    return text;
}

// A program that ends well in spite of it does not end with success.
void tell_at_the_end(int status, void *) {
    std::fprintf(stderr,
                 "simulated_gpu: NotSimulated: the simulated GPU does not do %s, and memory that it should have written "
                 "was not. What this program computed after that is not to be used.\n",
                 lost_launch());
    std::fflush(nullptr);
    if (status == 0) _exit(1);
}

// Keeps it for the guard around it; without one the process has failed.
void lose(const char *what) {
    if (guards > 0) {
        lost = readable(what);
        lost_something = true;
        return;
    }
    const std::string *none = nullptr;
    auto *text = new std::string(readable(what));  // lives as long as the process
    if (lost_for_good.compare_exchange_strong(none, text))
        on_exit(tell_at_the_end, nullptr);
    else
        delete text;
    if (!failed()) simgpu_fail(NOT_SUPPORTED);
}

}  // namespace

void refuse(const char *what) {
    if (probing()) return;
    refusal = readable(what);
    refused = true;
}

const char *last_refusal() { return refused ? refusal.c_str() : nullptr; }

const char *lost_launch() {
    const std::string *text = lost_for_good.load(std::memory_order_acquire);
    return text ? text->c_str() : nullptr;
}

bool probing() {
    stopped |= probes > 0;
    return probes > 0;
}

bool is_claimed() { return depth > 0; }

namespace {

// Notes a launch or a call. NOT_SUPPORTED if nobody promised to compute it; it is lost then if it would have written memory.
Status note_claim(int kind, const char *what, const void *stream, bool writes) {
    if (probing()) return NOT_SUPPORTED;
    simgpu_event event{};
    event.kind = kind;
    event.what = what;
    event.stream = stream_id(stream);
    note(event);
    ++launched;
    if (depth > 0) return SUCCESS;
    unclaimed.fetch_add(1, std::memory_order_relaxed);
    if (!refusing.load()) return SUCCESS;
    refuse(what);
    if (writes) lose(what);
    return NOT_SUPPORTED;
}

}  // namespace

Status claim(int kind, const char *what, const void *stream) { return note_claim(kind, what, stream, true); }

EXPORT void simgpu_enter(void) { ++depth; }
EXPORT void simgpu_leave(void) { --depth; }
EXPORT int simgpu_depth(void) { return depth; }
EXPORT uint64_t simgpu_launched(void) { return launched; }
EXPORT int simgpu_refuse_unclaimed(int on) { return refusing.exchange(on != 0); }
EXPORT uint64_t simgpu_unclaimed(void) { return unclaimed; }

EXPORT const char *simgpu_take_refusal(void) {
    if (!refused) return nullptr;
    refused = false;
    return refusal.c_str();
}

EXPORT void simgpu_guard(void) { ++guards; }
EXPORT const char *simgpu_unguard(void) {
    --guards;
    if (!lost_something) return nullptr;
    lost_something = false;
    forget_error();
    static thread_local std::string taken;
    taken = lost;
    return taken.c_str();
}

EXPORT void simgpu_probe(void) {
    if (probes++ == 0) stopped = false;
}
EXPORT int simgpu_probing(void) { return probes > 0; }
EXPORT int simgpu_end_probe(void) {
    if (--probes == 0 && stopped) forget_error();
    return stopped;
}

// For the libraries that say what a status means: of what was refused last.
EXPORT const char *simgpu_explain(void) {
    static thread_local std::string explained;
    const char *what = last_refusal();
    explained = std::string("not supported") + (what ? std::string(" (NotSimulated: the simulated GPU does not do ") + what + ")" : "");
    return explained.c_str();
}

EXPORT const char *simgpu_lost(void) { return lost_launch(); }

// For the stubs of the other libraries: notes a call, and returns 0, or 1 if it is refused.
EXPORT int simgpu_library_call(const char *what) {
    if (failed()) return 1;
    simgpu_bind_context();
    return claim(SIMGPU_LIBRARY_CALL, what, nullptr) != SUCCESS;
}
// The same of a function that writes no memory of a device: it loads code, or asks something.
EXPORT int simgpu_library_question(const char *what) {
    if (failed()) return 1;
    simgpu_bind_context();
    return note_claim(SIMGPU_LIBRARY_CALL, what, nullptr, false) != SUCCESS;
}
// The same for a function that is refused wherever it is called: one that asks or makes something, whose caller gets
// nothing, and one that would have written memory.
EXPORT int simgpu_refused(const char *what) {
    refuse(what);
    return 1;
}
EXPORT int simgpu_refused_work(const char *what) {
    refuse(what);
    if (!probing() && depth == 0) lose(what);
    return 1;
}
