import Glibc

/// Functions of glibc's allocator that control how much freed memory the process keeps. Swift can't
/// import their header, so the functions are looked up by name.
package enum AllocatorMemory {
    /// Returns free memory to the system.
    package static func releaseFreeMemory() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Makes the allocator return buffers of 128 KiB and more to the system when they are freed.
    /// Programs call this at startup. By default, the allocator raises this limit to the size of
    /// the largest freed buffer. The process would then keep memory that it needed only briefly
    /// while loading.
    package static func returnLargeBuffers() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Option = @convention(c) (_ parameter: CInt, _ value: CInt) -> CInt
        let mmapThreshold: CInt = -3
        _ = unsafeBitCast(symbol, to: Option.self)(mmapThreshold, 128 << 10)
    }
}
