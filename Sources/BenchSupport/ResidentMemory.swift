import Foundation

/// Memory of this process, as the kernel counts it.
package enum ResidentMemory {
    /// Bytes in memory now.
    package static func current() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            if let kilobytes = Int(line.filter(\.isNumber)) { return kilobytes * 1024 }
        }
        throw BenchError("/proc/self/status does not say VmRSS")
    }
}
