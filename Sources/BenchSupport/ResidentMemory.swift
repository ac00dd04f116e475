package import Foundation

/// Memory of a process, as the kernel counts it.
package enum ResidentMemory {
    /// Bytes of this process, or of another one, that are in memory now.
    package static func current(of process: pid_t = getpid()) throws -> Int {
        let file = "/proc/\(process)/status"
        let status = try String(contentsOfFile: file, encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            if let kilobytes = Int(line.filter(\.isNumber)) { return kilobytes * 1024 }
        }
        throw BenchError("\(file) does not say VmRSS")
    }
}
