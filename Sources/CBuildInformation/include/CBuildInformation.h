#ifndef CBuildInformation_h
#define CBuildInformation_h

/// The commit that the program was built of, as Packaging/install says it; empty where it was built
/// without.
const char *tideline_commit(void);

#endif
