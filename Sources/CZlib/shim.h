#ifndef TIDELINE_CZLIB_H
#define TIDELINE_CZLIB_H
#include <zlib.h>

// Swift can't import zlib's init functions, because they are macros.
static inline int tl_deflateInitRaw(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
static inline int tl_inflateInitRaw(z_streamp stream) { return inflateInit2(stream, -15); }
#endif
