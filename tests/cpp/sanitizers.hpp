// Which sanitizer a test runs under, if any: UNDER_ADDRESS_SANITIZER or UNDER_THREAD_SANITIZER.
#pragma once

#if defined(__has_feature)  // clang's way of saying so
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER
#endif
