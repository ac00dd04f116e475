#ifndef CBuildInformation_h
#define CBuildInformation_h

/// The commit that the program was built from. `Packaging/install` defines it; empty in other
/// builds.
const char *tideline_commit(void);

#endif
