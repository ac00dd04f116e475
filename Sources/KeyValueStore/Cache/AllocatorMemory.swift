import Glibc

/// Memory that the allocator keeps after much was freed.
enum AllocatorMemory {
    /// Hands free memory back to the system, where the C library knows how (glibc; its header is
    /// in no module).
    static func giveBack() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
