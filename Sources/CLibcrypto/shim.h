#ifndef TIDELINE_CLIBCRYPTO_H
#define TIDELINE_CLIBCRYPTO_H
// The one-shot EVP functions allocate and look their algorithm up each time, which costs as much
// as the digest of a small change; these do neither.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

/// The SHA-256 of `head` and `tail`, one behind the other; `digest` has 32 bytes.
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
