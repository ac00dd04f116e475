import Glibc

/// How the C library's allocator (glibc; its header is in no module) keeps memory that was freed.
package enum AllocatorMemory {
    /// Hands free memory back to the system.
    package static func giveBack() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// Has buffers of 128 KiB and more go back to the system when they are freed, for a program to
    /// call when it begins. By itself the allocator raises that limit to the largest buffer that was
    /// freed, and what a load needed for a moment stays with the process.
    package static func returnLargeBuffers() {
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Option = @convention(c) (_ parameter: CInt, _ value: CInt) -> CInt
        let mmapThreshold: CInt = -3
        _ = unsafeBitCast(symbol, to: Option.self)(mmapThreshold, 128 << 10)
    }
}
