import Glibc

/// Writes all bytes to a file, a pipe or a terminal.
///
/// - Returns: `errno` on failure, otherwise zero.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to number: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = Glibc.write(number, rest.baseAddress, rest.count)
        if count > 0 {
            written += count
        } else if count == 0 {
            // `errno` isn't set, and can be zero.
            return EIO
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}
