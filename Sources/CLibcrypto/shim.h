#ifndef TIDELINE_CLIBCRYPTO_H
#define TIDELINE_CLIBCRYPTO_H
// Don't use the one-shot EVP functions. They allocate memory and look up their algorithm on each
// call, which takes as long as hashing a small change.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

/// Writes the SHA-256 of `head` followed by `tail` to `digest`, which has 32 bytes.
static inline void tl_sha256(
    const void *head, size_t head_count, const void *tail, size_t tail_count,
    unsigned char *digest
) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, head, head_count);
    SHA256_Update(&context, tail, tail_count);
    SHA256_Final(digest, &context);
}
#endif
