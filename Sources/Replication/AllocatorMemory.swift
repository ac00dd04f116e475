import Glibc

/// Control over the freed memory that glibc's allocator keeps. The allocator's header isn't part of
/// a module.
package enum AllocatorMemory {
    /// Returns free memory to the system.
    package static func giveBack() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Makes the allocator return buffers of 128 KiB and more to the system when they are freed.
    /// Programs call this at startup. By default, the allocator raises that limit to the size of
    /// the largest freed buffer, so memory that a load needed briefly stays with the process.
    package static func returnLargeBuffers() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Option = @convention(c) (_ parameter: CInt, _ value: CInt) -> CInt
        let mmapThreshold: CInt = -3
        _ = unsafeBitCast(symbol, to: Option.self)(mmapThreshold, 128 << 10)
    }
}
