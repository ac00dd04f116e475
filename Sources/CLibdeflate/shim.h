#ifndef TIDELINE_CLIBDEFLATE_H
#define TIDELINE_CLIBDEFLATE_H
#include <libdeflate.h>
#endif
