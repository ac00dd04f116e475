package import Foundation

/// The resident memory of a process, as reported by the kernel.
package enum ResidentMemory {
    /// Returns the resident memory in bytes of this or another process.
    package static func current(of process: pid_t = getpid()) throws -> Int {
        let file = "/proc/\(process)/status"
        let status = try String(contentsOfFile: file, encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            if let kilobytes = Int(line.filter(\.isNumber)) { return kilobytes * 1024 }
        }
        throw BenchError("\(file) does not contain VmRSS")
    }
}
