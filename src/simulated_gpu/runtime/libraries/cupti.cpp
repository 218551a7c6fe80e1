// CUPTI: the profiler's source of what happens on the GPU. Nothing happens there, so a profile shows the host alone.
#include <cstddef>
#include <cstdint>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuptiGetVersion(uint32_t *version) {
    *version = 26;
    return 0;
}
EXPORT int cuptiGetResultString(int, const char **text) {
    *text = "the simulated GPU has no profiler";
    return 0;
}
EXPORT int cuptiGetCallbackName(int, uint32_t, const char **name) {
    *name = "";
    return 0;
}
EXPORT int cuptiActivityGetNextRecord(uint8_t *, size_t, void **record) {
    *record = nullptr;
    return 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED: there is no other
}
EXPORT int cuptiActivityGetNumDroppedRecords(void *, uint32_t, size_t *number) {
    *number = 0;
    return 0;
}
EXPORT int cuptiActivityPopExternalCorrelationId(int, uint64_t *last) {
    if (last) *last = 0;
    return 0;
}
EXPORT int cuptiSubscribe(void **subscriber) {
    *subscriber = reinterpret_cast<void *>(1);
    return 0;
}
